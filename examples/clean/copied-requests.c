// Handles of requests are copied into a list before some of them are waited for. Libraries give one handle to all sends that are
// complete at once, so that the copy alone does not tell which is meant.
//
// ranks: 2

#include <mpi.h>
#include <stdlib.h>

enum { LATE, EARLY, SENDS };

static void wait_for_copy(int count, const MPI_Request *requests, int is_any)
{
    MPI_Request list[SENDS];
    int index;
    for (int i = 0; i < count; i++)
        list[i] = requests[i];
    if (is_any)
        MPI_Waitany(count, list, &index, MPI_STATUS_IGNORE);
    else
        MPI_Waitall(count, list, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, late = 1, early = 2, room = 2 * (MPI_BSEND_OVERHEAD + (int)sizeof early);
    void *buffer = malloc(room);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Buffer_attach(buffer, room);
    for (int is_any = 0; is_any < 2; is_any++) {
        if (rank == 0) {
            MPI_Request requests[SENDS];
            MPI_Isend(&late, 1, MPI_INT, 1, LATE, MPI_COMM_WORLD, &requests[LATE]);
            MPI_Ibsend(&early, 1, MPI_INT, 1, EARLY, MPI_COMM_WORLD, &requests[EARLY]);
            // This one needs no receive.
            wait_for_copy(1, &requests[EARLY], is_any);
            MPI_Barrier(MPI_COMM_WORLD);
            wait_for_copy(1, &requests[LATE], is_any);
        } else {
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Recv(&early, 1, MPI_INT, 0, EARLY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(&late, 1, MPI_INT, 0, LATE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Buffer_detach(&buffer, &room);
    free(buffer);
    MPI_Finalize();
    return 0;
}
