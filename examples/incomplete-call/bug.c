// Adds up the masses of all ranks with a reduction operation of its own that checks them.
//
// What is wrong: rank 1 contributes a negative mass, and the operation ends the process with exit()
// in the middle of MPI_Reduce: the call of the rank that was adding has no return.
// The fix: a reduction operation computes and nothing else; the result is checked after the call.
//
// ranks: 2
// expect: incomplete-call ranks 0

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void add_masses(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    double *a = in, *b = inout;
    for (int i = 0; i < *len; i++) {
        if (a[i] < 0 || b[i] < 0) {
            fprintf(stderr, "negative mass\n");
            exit(EXIT_FAILURE);
        }
        b[i] += a[i];
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Op add;
    MPI_Op_create(add_masses, 1, &add);
    double mass = 2.5 - 3.5 * rank, total = 0;
    MPI_Reduce(&mass, &total, 1, MPI_DOUBLE, add, 0, MPI_COMM_WORLD); //~ incomplete-call
    if (rank == 0)
        printf("total mass: %.1f\n", total);
    MPI_Op_free(&add);
    MPI_Finalize();
    return 0;
}
