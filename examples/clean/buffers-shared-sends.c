// One buffer is read by many operations at the same time: nonblocking sends, a blocking one, collectives, and the
// program itself.
//
// Correct: since MPI 2.2 a buffer that is being sent may be read (MPI 4.1, 3.7.2 and 6.12).
//
// ranks: 4

#include <mpi.h>

enum { N = 20000, RANKS = 4 };

static int mine[N], got[RANKS][N];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, started = 0, sum = 0, total = -1, all[RANKS], largest = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < N; i++)
        mine[i] = rank + i % 10;
    MPI_Request requests[2 * RANKS + 2];
    for (int other = 0; other < RANKS; other++)
        MPI_Irecv(got[other], N, MPI_INT, other, 0, MPI_COMM_WORLD, &requests[started++]);
    for (int other = 0; other < RANKS; other++) {
        if (other != (rank + 1) % RANKS)
            MPI_Isend(mine, N, MPI_INT, other, 0, MPI_COMM_WORLD, &requests[started++]);
    }
    MPI_Iallgather(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &requests[started++]);
    MPI_Iallreduce(mine, &largest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &requests[started++]);
    MPI_Send(mine, N, MPI_INT, (rank + 1) % RANKS, 0, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        sum += mine[i];
    MPI_Allreduce(mine, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Waitall(started, requests, MPI_STATUSES_IGNORE);
    for (int other = 0; other < RANKS; other++) {
        wrong += all[other] != other;
        for (int i = 0; i < N; i++)
            wrong += got[other][i] != other + i % 10;
    }
    wrong += sum != N * rank + N / 10 * 45 || total != 6 || largest != 3;
    MPI_Finalize();
    return wrong != 0;
}
