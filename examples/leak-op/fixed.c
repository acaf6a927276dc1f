// The largest absolute value of all ranks, by an operation of the program.
//
// Correct: the operation is freed after the reduction.
//
// ranks: 2

#include <math.h>
#include <mpi.h>

static void larger(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    double *a = in, *b = inout;
    for (int i = 0; i < *count; i++)
        b[i] = fabs(a[i]) > fabs(b[i]) ? a[i] : b[i];
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    double x = -2, most;
    MPI_Op largest;
    MPI_Op_create(larger, 1, &largest);
    MPI_Allreduce(&x, &most, 1, MPI_DOUBLE, largest, MPI_COMM_WORLD);
    MPI_Op_free(&largest);
    MPI_Finalize();
    return 0;
}
