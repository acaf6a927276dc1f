// After the demonstration program of the Keldysh Institute's correctness analyzer (preprint of 2006):
// complex numbers sent, integers received. The original was in Fortran.
//
// Fixed: complex numbers on both sides.
//
// ranks: 2

#include <complex.h>
#include <mpi.h>
#include <stdio.h>

enum { COUNT = 3 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    if (rank == 0) {
        float complex a[COUNT];
        for (int i = 0; i < COUNT; i++)
            a[i] = i + 0.5f * I;
        MPI_Send(a, COUNT, MPI_C_FLOAT_COMPLEX, 1, 999, MPI_COMM_WORLD);
    } else {
        float complex a[COUNT];
        MPI_Recv(a, COUNT, MPI_C_FLOAT_COMPLEX, 0, 999, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("real parts: %.1f %.1f %.1f\n", crealf(a[0]), crealf(a[1]), crealf(a[2]));
    }
    MPI_Finalize();
    return 0;
}
