// Rank 0 reads the coefficients of a stencil and broadcasts them.
//
// Fixed: all ranks broadcast floats.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

enum { POINTS = 3 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    float stencil[POINTS] = {0};
    if (rank == 0) {
        stencil[0] = stencil[2] = 1.0f;
        stencil[1] = -2.0f;
        MPI_Bcast(stencil, POINTS, MPI_FLOAT, 0, MPI_COMM_WORLD);
    } else {
        MPI_Bcast(stencil, POINTS, MPI_FLOAT, 0, MPI_COMM_WORLD);
    }

    printf("rank %d: %.1f %.1f %.1f\n", rank, stencil[0], stencil[1], stencil[2]);
    MPI_Finalize();
    return 0;
}
