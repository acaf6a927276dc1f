// After test7 of the Keldysh Institute's correctness analyzer (preprint of 2006): a broadcast and a
// reduction in opposite order on two ranks.
//
// Fixed: both ranks broadcast first and reduce then.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

enum { COUNT = 10, ROOT = 0 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int scale[COUNT] = {0}, part[COUNT], sum[COUNT];
    for (int i = 0; i < COUNT; i++) {
        part[i] = rank + i;
        if (rank == ROOT)
            scale[i] = 10 + i;
    }
    if (rank == 0) {
        MPI_Bcast(scale, COUNT, MPI_INT, ROOT, MPI_COMM_WORLD);
        MPI_Allreduce(part, sum, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    } else {
        MPI_Bcast(scale, COUNT, MPI_INT, ROOT, MPI_COMM_WORLD);
        MPI_Allreduce(part, sum, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    printf("rank %d: from %d to %d\n", rank, sum[0] * scale[0], sum[COUNT - 1] * scale[COUNT - 1]);
    MPI_Finalize();
    return 0;
}
