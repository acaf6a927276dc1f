// After the demonstration program of the Keldysh Institute's correctness analyzer (preprint of 2006):
// complex numbers sent, integers received. The original was in Fortran.
//
// What is wrong: a complex number of two floats has eight bytes, and so has the integer type of the
// receive. The message fits, the library is content, and the numbers are rubbish.
// The fix: the same type on both sides.
//
// ranks: 2
// expect: wrong-data-type ranks 0,1

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
        MPI_Send(a, COUNT, MPI_C_FLOAT_COMPLEX, 1, 999, MPI_COMM_WORLD); //~ wrong-data-type
    } else {
        long a[COUNT];
        MPI_Recv(a, COUNT, MPI_LONG, 0, 999, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ wrong-data-type
        printf("real parts: %.1f %.1f %.1f\n", (double)a[0], (double)a[1], (double)a[2]);
    }
    MPI_Finalize();
    return 0;
}
