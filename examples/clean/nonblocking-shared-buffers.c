// Nonblocking collective operations overlap on one communicator, share their send buffers, and fill interleaved parts
// of one receive buffer.
//
// Correct: all ranks start them in the same order and may complete them in any; a send buffer may be read by many
// (MPI 4.1, 6.12).
//
// ranks: 4

#include <mpi.h>

enum { RANKS = 4, K = 8 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, mine[RANKS * K], table[RANKS][K], sums[K], prefix[K], crossed[RANKS * K];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype strided, column;
    MPI_Type_vector(RANKS, 1, K, MPI_INT, &strided);
    MPI_Type_create_resized(strided, 0, sizeof(int), &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < RANKS * K; i++)
        mine[i] = 100 * rank + i;
    MPI_Request requests[K + 5];
    for (int root = 0; root < K; root++) {
        if (root % RANKS == rank)
            for (int i = 0; i < RANKS; i++)
                table[i][root] = 100 * rank + 10 * i + root;
        MPI_Ibcast(&table[0][root], 1, column, root % RANKS, MPI_COMM_WORLD, &requests[root]);
    }
    MPI_Iallreduce(mine, sums, K, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[K]);
    MPI_Iscan(mine, prefix, K, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[K + 1]);
    MPI_Ialltoall(mine, K, MPI_INT, crossed, K, MPI_INT, MPI_COMM_WORLD, &requests[K + 2]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[K + 3]);
    int largest = -1;
    MPI_Ireduce(mine, &largest, 1, MPI_INT, MPI_MAX, 3, MPI_COMM_WORLD, &requests[K + 4]);
    for (int i = 0; i < K + 5; i++) {
        int chosen = rank % 2 ? i : K + 4 - i; /* other orders on other ranks */
        if (chosen % 3)
            MPI_Wait(&requests[chosen], MPI_STATUS_IGNORE);
    }
    MPI_Waitall(K + 5, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < RANKS * K; i++) {
        wrong += table[i / K][i % K] != 100 * (i % K % RANKS) + 10 * (i / K) + i % K;
        wrong += crossed[i] != 100 * (i / K) + rank * K + i % K;
        wrong += i < K && (sums[i] != 600 + 4 * i || prefix[i] != 50 * rank * (rank + 1) + (rank + 1) * i);
    }
    wrong += rank == 3 && largest != 300;
    MPI_Type_free(&strided);
    MPI_Type_free(&column);
    MPI_Finalize();
    return wrong != 0;
}
