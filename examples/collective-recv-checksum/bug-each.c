// Rank 1 reuses the array that the data of a collective arrive in as soon as it has seen them; with one collective
// operation after the other.
//
// What is wrong: until MPI_Wait the array belongs to MPI. Rank 1 writes -1 into it before.
// The fix: MPI_Wait first.
//
// ranks: 2
// options: --checksums all
// expect: collective-recv-checksum ranks 0,1
// expect: collective-recv-checksum ranks 0,1
// expect: collective-recv-checksum ranks 0,1
// expect: collective-recv-checksum ranks 0,1

#include <mpi.h>

enum { N = 4 };

static int mine[2 * N], theirs[2 * N];

/* Data have arrived when the last number is no longer 0. */
static void reuse(int rank, volatile int *last)
{
    int flag;

    if (rank != 1)
        return;
    while (*last == 0)
        MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    *last = -1;
}

static void fill(int rank)
{
    for (int i = 0; i < 2 * N; i++) {
        mine[i] = 100 * rank + i + 1;
        theirs[i] = 0;
    }
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    fill(rank);
    MPI_Igather(mine, N, MPI_INT, theirs, N, MPI_INT, 1, MPI_COMM_WORLD, &request);
    reuse(rank, &theirs[N - 1]);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    fill(rank);
    MPI_Iscatter(mine, N, MPI_INT, theirs, N, MPI_INT, 0, MPI_COMM_WORLD, &request);
    reuse(rank, &theirs[N - 1]);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    fill(rank);
    MPI_Iallgather(mine, N, MPI_INT, theirs, N, MPI_INT, MPI_COMM_WORLD, &request);
    reuse(rank, &theirs[N - 1]);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    fill(rank);
    MPI_Ialltoall(mine, N, MPI_INT, theirs, N, MPI_INT, MPI_COMM_WORLD, &request);
    reuse(rank, &theirs[N - 1]);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    MPI_Finalize();
    return 0;
}
