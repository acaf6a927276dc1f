// Something of everything that `mpivet print` can choose by: communicators with and without names, ranks that are called
// differently in them, a window, a thread, dumps, a pause. 3 ranks.
#include "mpivet.h"
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

static void *second(void *unused)
{
    int size;
    MPI_Comm_size(MPI_COMM_SELF, &size);
    return unused;
}

int main(int argc, char **argv)
{
    int provided, rank, data[4] = {1, 2, 3, 4}, got[4];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Comm halo, others;
    MPI_Comm_dup(MPI_COMM_WORLD, &halo);
    MPI_Comm_set_name(halo, "halo");
    // World ranks 2 and 1 are 0 and 1 there.
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, -rank, &others);

    MPI_Request request;
    if (rank == 0) {
        MPI_Send(data, 4, MPI_INT, 1, 999, MPI_COMM_WORLD);
        MPI_Isend(data, 4, MPI_INT, 2, 7, halo, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        mpivet_dump("grid", data, 4, MPI_INT);
        mpivet_dump("ghosts", data, 1, MPI_INT);
        pthread_t thread;
        if (provided == MPI_THREAD_MULTIPLE && pthread_create(&thread, NULL, second, NULL) == 0)
            pthread_join(thread, NULL);
    } else if (rank == 1) {
        MPI_Status status;
        MPI_Recv(got, 4, MPI_INT, MPI_ANY_SOURCE, 999, MPI_COMM_WORLD, &status);
        MPI_Send(data, 1, MPI_INT, 0, 5, others);
    } else {
        MPI_Irecv(got, 4, MPI_INT, 0, 7, halo, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(got, 1, MPI_INT, 1, 5, others, MPI_STATUS_IGNORE);
    }
    MPI_Bcast(data, 4, MPI_INT, 2, halo);

    MPI_Win window;
    MPI_Win_create(data, sizeof data, sizeof data[0], MPI_INFO_NULL, halo, &window);
    MPI_Win_fence(0, window);
    if (rank == 1)
        MPI_Put(got, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);

    usleep(400000);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&others);
    MPI_Comm_free(&halo);
    MPI_Finalize();
    return 0;
}
