// The collective operations with counts of their own for each rank, some of them zero.
//
// Correct: arguments that matter only at the root are nonsense elsewhere; sender and receiver describe the
// same amount by different types and counts; MPI_IN_PLACE at the root and everywhere.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

enum { RANKS = 4, MOST = 20 };

static int amount(int from, int to)
{
    return (3 * from + 2 * to) % 5; /* zero for some pairs */
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);

    int data[MOST], got[MOST * RANKS] = {0}, counts[RANKS], starts[RANKS], back[RANKS], from[RANKS];
    for (int i = 0; i < MOST; i++)
        data[i] = 100 * rank + i;
    for (int r = 0, at = 0; r < RANKS; at += counts[r++]) {
        counts[r] = 2 * r; /* rank 0 has nothing */
        starts[r] = at;
    }

    /* gathered as integers, sent as pairs; only the root has counts */
    int root = 2, is_root = rank == root;
    MPI_Gatherv(data, rank, pair, is_root ? got : NULL, is_root ? counts : NULL, is_root ? starts : NULL,
                MPI_INT, root, MPI_COMM_WORLD);
    long sums[6] = {got[0] + got[1] + got[11]};
    MPI_Scatterv(is_root ? got : NULL, is_root ? counts : NULL, is_root ? starts : NULL, MPI_INT,
                 is_root ? MPI_IN_PLACE : got, rank, pair, root, MPI_COMM_WORLD);
    sums[1] = is_root ? 0 : got[0];
    MPI_Allgatherv(data, counts[rank], MPI_INT, got, counts, starts, MPI_INT, MPI_COMM_WORLD);
    sums[2] = got[0] + got[11];
    MPI_Allgatherv(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, got, counts, starts, MPI_INT, MPI_COMM_WORLD);

    for (int r = 0; r < RANKS; r++) {
        counts[r] = amount(rank, r);
        starts[r] = 5 * r;
        back[r] = amount(r, rank);
        from[r] = 10 * r;
    }
    MPI_Alltoallv(data, counts, starts, MPI_INT, got, back, from, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < RANKS; r++)
        for (int i = 0; i < back[r]; i++)
            sums[3] += got[from[r] + i];

    /* alltoallw: to even ranks integers, to odd ranks bytes; displacements in bytes */
    MPI_Datatype send_types[RANKS], recv_types[RANKS];
    for (int r = 0; r < RANKS; r++) {
        send_types[r] = r % 2 ? MPI_BYTE : MPI_INT;
        recv_types[r] = rank % 2 ? MPI_BYTE : MPI_INT;
        counts[r] *= r % 2 ? (int)sizeof(int) : 1;
        back[r] *= rank % 2 ? (int)sizeof(int) : 1;
        starts[r] *= sizeof(int);
        from[r] *= sizeof(int);
    }
    MPI_Alltoallw(data, counts, starts, send_types, got, back, from, recv_types, MPI_COMM_WORLD);
    sums[4] = got[0] + got[10] + got[20] + got[30];

    MPI_Gather(is_root ? MPI_IN_PLACE : data, 3, MPI_INT, got, 3, MPI_INT, root, MPI_COMM_WORLD);
    MPI_Alltoall(data, 1, pair, got, 2, MPI_INT, MPI_COMM_WORLD);
    sums[5] = got[0] + got[7];
    printf("rank %d: %ld %ld %ld %ld %ld %ld\n", rank, sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]);
    MPI_Type_free(&pair);
    MPI_Finalize();
    return 0;
}
