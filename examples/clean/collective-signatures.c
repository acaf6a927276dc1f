// Collective operations in which every rank describes the same data by other types and counts.
//
// Correct: the amounts must agree in their signatures, between root and others, or per pair of ranks, not in counts
// and types (MPI 4.1, 6.4 to 6.8).
//
// ranks: 3

#include <mpi.h>
#include <stddef.h>

enum { RANKS = 3, N = 6 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype strided, pair, column, columns;
    MPI_Type_vector(3, 1, 2, MPI_INT, &strided); /* twice this, pair, or six integers */
    MPI_Type_create_resized(strided, 0, 6 * sizeof(int), &column);
    MPI_Type_free(&strided);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_vector(N, 1, N, MPI_INT, &strided);
    MPI_Type_create_resized(strided, 0, sizeof(int), &columns);
    MPI_Type_commit(&column);
    MPI_Type_commit(&pair);
    MPI_Type_commit(&columns);

    int data[12], all[RANKS * N], square[N][N];
    for (int i = 0; i < 12; i++)
        data[i] = rank == 0 ? i : -1;
    MPI_Bcast(data, (int[]){2, 6, 3}[rank], (MPI_Datatype[]){column, MPI_INT, pair}[rank], 0, MPI_COMM_WORLD);
    for (int i = 0; i < 6 && rank > 0; i++)
        wrong += data[i] != 2 * i;

    for (int i = 0; i < 12; i++)
        data[i] = 100 * rank + i;
    MPI_Allgather(data, (int[]){2, 6, 3}[rank], (MPI_Datatype[]){column, MPI_INT, pair}[rank], all,
                  (int[]){6, 3, 6}[rank], (MPI_Datatype[]){MPI_INT, pair, MPI_INT}[rank], MPI_COMM_WORLD);
    for (int i = 0; i < RANKS * N; i++)
        wrong += all[i] != (i < 6 ? 2 * i : 100 * (i / 6) + i % 6);

    /* rows of one rank become columns of another */
    for (int i = 0; i < N * N; i++)
        square[i / N][i % N] = -1;
    MPI_Gather(all + 6 * rank, 6, MPI_INT, square, 1, columns, 2, MPI_COMM_WORLD);
    for (int i = 0; i < RANKS * N && rank == 2; i++)
        wrong += square[i % N][i / N] != all[i];

    /* each pair of ranks has a type of its own */
    int from[RANKS][N], to[RANKS][2 * N], counts[RANKS], where[RANKS], wanted[RANKS], at[RANKS];
    MPI_Datatype sent[RANKS], received[RANKS];
    for (int other = 0; other < RANKS; other++) {
        for (int i = 0; i < N; i++)
            from[other][i] = 100 * rank + 10 * other + i;
        counts[other] = other >= rank ? 6 : 3, sent[other] = other >= rank ? MPI_INT : pair;
        wanted[other] = other <= rank ? 2 : 6, received[other] = other <= rank ? column : MPI_INT;
        where[other] = other * (int)sizeof from[0], at[other] = other * (int)sizeof to[0];
    }
    MPI_Alltoallw(from, counts, where, sent, to, wanted, at, received, MPI_COMM_WORLD);
    for (int other = 0; other < RANKS; other++)
        for (int i = 0; i < N; i++)
            wrong += to[other][other <= rank ? 2 * i : i] != 100 * other + 10 * rank + i;
    MPI_Type_free(&strided);
    MPI_Type_free(&column);
    MPI_Type_free(&pair);
    MPI_Type_free(&columns);
    MPI_Finalize();
    return wrong != 0;
}
