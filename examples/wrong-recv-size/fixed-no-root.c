// bug-no-root.c, repaired: all send as many values, and rank 2 says its word before.
//
// ranks: 3

#include <mpi.h>
#include <stdio.h>

enum { CELLS = 5 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double cells[CELLS] = {0}, all[3 * CELLS];
    int are_right = rank == 2;
    if (rank == 0)
        MPI_Recv(&are_right, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2)
        MPI_Send(&are_right, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    MPI_Gather(cells, CELLS, MPI_DOUBLE, all, CELLS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("the cells are %s\n", are_right ? "right" : "wrong");
    MPI_Finalize();
    return 0;
}
