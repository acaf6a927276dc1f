// A plate is heated at its upper edge: Jacobi iteration on a grid that is cut into blocks, one block a
// rank, with an exchange of the blocks' edges (the halo) in every step.
//
// What is wrong: in each direction one neighbour shall send first and the other receive first. Who does
// what follows from the parity of the rank's row, in both directions. Within a row all ranks have the
// same parity: in the odd row both wait for each other's column before they send their own. In the even row both send
// first, which works only because the MPI library buffers so short a message.
// The fix: the parity of the coordinate in the direction of the exchange.
//
// ranks: 4
// expect: real-deadlock ranks 2,3
// expect: potential-deadlock ranks 0,1

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 16, STEPS = 100 }; /* cells along one side of a block; iterations */

static double u[N + 2][N + 2], next[N + 2][N + 2];

typedef struct {
    double *edge, *halo; /* our outermost cells, and the place for the neighbour's */
    int neighbour;
} Side;

static void exchange(Side side, MPI_Datatype type, int receive_first, MPI_Comm grid)
{
    if (receive_first) {
        MPI_Recv(side.halo, 1, type, side.neighbour, 0, grid, MPI_STATUS_IGNORE); //~ real-deadlock
        MPI_Send(side.edge, 1, type, side.neighbour, 0, grid);
    } else {
        MPI_Send(side.edge, 1, type, side.neighbour, 0, grid); //~ potential-deadlock
        MPI_Recv(side.halo, 1, type, side.neighbour, 0, grid, MPI_STATUS_IGNORE);
    }
}

static void exchange_halo(MPI_Comm grid, MPI_Datatype row, MPI_Datatype column)
{
    int dims[2], periods[2], coords[2], up, down, left, right;
    MPI_Cart_get(grid, 2, dims, periods, coords);
    MPI_Cart_shift(grid, 0, 1, &up, &down);
    MPI_Cart_shift(grid, 1, 1, &left, &right);

    int odd = coords[0] % 2;
    exchange((Side){&u[1][1], &u[0][1], up}, row, odd, grid);
    exchange((Side){&u[N][1], &u[N + 1][1], down}, row, odd, grid);
    exchange((Side){&u[1][1], &u[1][0], left}, column, odd, grid);
    exchange((Side){&u[1][N], &u[1][N + 1], right}, column, odd, grid);
}

static double iterate(void)
{
    double change = 0;
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++) {
            next[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
            change += (next[i][j] - u[i][j]) * (next[i][j] - u[i][j]);
        }
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            u[i][j] = next[i][j];
    return change;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int size, rank, up, down, dims[2] = {0, 0}, periods[2] = {0, 0};
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_shift(grid, 0, 1, &up, &down);

    MPI_Datatype row, column;
    MPI_Type_contiguous(N, MPI_DOUBLE, &row);
    MPI_Type_vector(N, 1, N + 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&row);
    MPI_Type_commit(&column);
    if (up == MPI_PROC_NULL)
        for (int j = 0; j < N + 2; j++)
            u[0][j] = 100.0;

    for (int step = 1; step <= STEPS; step++) {
        exchange_halo(grid, row, column);
        double change = iterate(), total = 0;
        MPI_Allreduce(&change, &total, 1, MPI_DOUBLE, MPI_SUM, grid);
        if (rank == 0 && step % 25 == 0)
            printf("step %d: change %.6f\n", step, total);
    }
    MPI_Type_free(&row);
    MPI_Type_free(&column);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
