// Adds up the masses of all ranks with a reduction operation of its own that checks them.
//
// Fixed: the operation marks a wrong input in the result, which the root looks at after the call.
//
// ranks: 2

#include <math.h>
#include <mpi.h>
#include <stdio.h>

static void add_masses(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    double *a = in, *b = inout;
    for (int i = 0; i < *len; i++)
        b[i] = a[i] < 0 || b[i] < 0 ? NAN : a[i] + b[i];
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Op add;
    MPI_Op_create(add_masses, 1, &add);
    double mass = 2.5 - 3.5 * rank, total = 0;
    MPI_Reduce(&mass, &total, 1, MPI_DOUBLE, add, 0, MPI_COMM_WORLD);
    if (rank == 0 && isnan(total))
        printf("some rank has a negative mass\n");
    else if (rank == 0)
        printf("total mass: %.1f\n", total);
    MPI_Op_free(&add);
    MPI_Finalize();
    return 0;
}
