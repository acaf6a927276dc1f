// MPI without MPI_Init: two sessions, each with a communicator of all and one of a part; the second begins before the
// first ends.
//
// Correct: all members of a group make the communicator with the same tag; every session is finalized.
//
// ranks: 4
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)

#include <mpi.h>
#include <stdio.h>

static void once(MPI_Session session, int round)
{
    MPI_Group all, part;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Comm everybody, some;
    MPI_Comm_create_from_group(all, "org.example.all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &everybody);
    int rank, size, sum = 0;
    MPI_Comm_rank(everybody, &rank);
    MPI_Comm_size(everybody, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, everybody);
    int left = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, round, &left, 1, MPI_INT, (rank + size - 1) % size, round,
                 everybody, MPI_STATUS_IGNORE);
    if (sum != size * (size - 1) / 2 || left != (rank + size - 1) % size)
        printf("rank %d: sum %d, left %d\n", rank, sum, left);

    /* the upper half, backwards */
    if (rank >= size / 2) {
        int range[1][3] = {{size - 1, size / 2, -1}};
        MPI_Group_range_incl(all, 1, range, &part);
        MPI_Comm_create_from_group(part, "org.example.part", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &some);
        int place, value = round;
        MPI_Comm_rank(some, &place);
        if (place == 0)
            MPI_Send(&value, 1, MPI_INT, 1, 3, some);
        else if (place == 1)
            MPI_Recv(&value, 1, MPI_INT, 0, 3, some, MPI_STATUS_IGNORE);
        MPI_Bcast(&value, 1, MPI_INT, 0, some);
        MPI_Comm_free(&some);
        MPI_Group_free(&part);
    }
    MPI_Barrier(everybody);
    MPI_Comm_free(&everybody);
    MPI_Group_free(&all);
}

int main(void)
{
    MPI_Session first, second;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
    once(first, 1);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
    MPI_Session_finalize(&first);
    once(second, 2);
    MPI_Session_finalize(&second);
    return 0;
}
