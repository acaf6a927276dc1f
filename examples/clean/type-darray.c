// A matrix in cyclic blocks over a grid of processes, collected from contiguous pieces.
//
// Correct: the type of a distributed array has the signature of the local piece, which the owner may keep
// contiguous (MPI 4.1, 5.1.4).
//
// ranks: 4

#include <mpi.h>

enum { ROWS = 6, COLUMNS = 10, RANKS = 4 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int lengths[2] = {ROWS, COLUMNS}, kinds[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    int arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, 3}, grid[2] = {2, 2};
    MPI_Datatype mine;
    MPI_Type_create_darray(RANKS, rank, 2, lengths, kinds, arguments, grid, MPI_ORDER_C, MPI_INT, &mine);
    MPI_Type_size(mine, &size);
    int piece[ROWS * COLUMNS], pieces = size / (int)sizeof(int);
    for (int i = 0; i < pieces; i++)
        piece[i] = 100 * rank + i;
    MPI_Request request;
    MPI_Isend(piece, pieces, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);

    if (rank == 0) {
        int matrix[ROWS][COLUMNS], seen[RANKS] = {0};
        MPI_Request receives[RANKS];
        for (int owner = 0; owner < RANKS; owner++) {
            MPI_Datatype part;
            MPI_Type_create_darray(RANKS, owner, 2, lengths, kinds, arguments, grid, MPI_ORDER_C, MPI_INT, &part);
            MPI_Type_commit(&part);
            /* all four are pending at once, each in places of its own of one matrix */
            MPI_Irecv(matrix, 1, part, owner, 0, MPI_COMM_WORLD, &receives[owner]);
            MPI_Type_free(&part);
        }
        MPI_Waitall(RANKS, receives, MPI_STATUSES_IGNORE);
        for (int r = 0; r < ROWS; r++) {
            for (int c = 0; c < COLUMNS; c++) {
                int owner = 2 * (r / 3) + c / 3 % 2;
                wrong += matrix[r][c] != 100 * owner + seen[owner]++;
            }
        }
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&mine);
    MPI_Finalize();
    return wrong != 0;
}
