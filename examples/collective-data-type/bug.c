// Rank 0 reads the coefficients of a stencil and broadcasts them.
//
// What is wrong: rank 0 sends floats, the others expect integers. Both have four bytes, and no library
// notices.
// The fix: the same type everywhere.
//
// ranks: 4
// expect: collective-data-type ranks 0,1,2,3

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
        MPI_Bcast(stencil, POINTS, MPI_FLOAT, 0, MPI_COMM_WORLD); //~ collective-data-type
    } else {
        int points[POINTS];
        MPI_Bcast(points, POINTS, MPI_INT, 0, MPI_COMM_WORLD); //~ collective-data-type
        for (int i = 0; i < POINTS; i++)
            stencil[i] = points[i];
    }

    printf("rank %d: %.1f %.1f %.1f\n", rank, stencil[0], stencil[1], stencil[2]);
    MPI_Finalize();
    return 0;
}
