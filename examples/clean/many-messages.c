// Twenty thousand small messages between all pairs, a window of them pending at a time.
//
// Correct: the trace is longer than any buffer that it goes through on its way.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 400, WINDOW = 4, RANKS = 4 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int in[RANKS][WINDOW], out[RANKS][WINDOW];
    long sum = 0, total;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request requests[2 * RANKS * WINDOW];
        int n = 0;
        for (int other = 0; other < RANKS; other++)
            for (int w = 0; w < WINDOW; w++) {
                if (other == rank)
                    continue;
                out[other][w] = rank + w + round;
                MPI_Irecv(&in[other][w], 1, MPI_INT, other, w % 2, MPI_COMM_WORLD, &requests[n++]);
                MPI_Isend(&out[other][w], 1, MPI_INT, other, w % 2, MPI_COMM_WORLD, &requests[n++]);
            }
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
        for (int other = 0; other < RANKS; other++)
            for (int w = 0; w < WINDOW && other != rank; w++)
                sum += (w + 1) * in[other][w];
    }
    MPI_Reduce(&sum, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("total %ld\n", total);
    MPI_Finalize();
    return 0;
}
