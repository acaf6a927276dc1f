// The halo of a row is copied behind the row.
//
// What is wrong: rank 1 has no neighbour on the right and never allocates that halo, but copies it. It
// dies inside of memcpy: the report names the line that called it.
// The fix: copy only what is there.
//
// ranks: 2
// expect: abend ranks 1

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 1024 };

static double row[CELLS * 2];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);

    size_t bytes = CELLS / size * sizeof(double);
    double *halo = rank + 1 < size ? calloc(1, bytes) : NULL;
    memcpy(row + CELLS, halo, bytes); //~ abend

    double edge = row[CELLS], sum = 0;
    MPI_Allreduce(&edge, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum: %.1f\n", sum);
    free(halo);
    MPI_Finalize();
    return 0;
}
