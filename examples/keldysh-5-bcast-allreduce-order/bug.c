// After test7 of the Keldysh Institute's correctness analyzer (preprint of 2006): a broadcast and a
// reduction in opposite order on two ranks.
//
// What is wrong: rank 0 broadcasts and then reduces, rank 1 reduces and then takes part in the broadcast.
// With few data, and rank 0 as the root, the message of the broadcast is buffered and the program ends
// normally; with more data, or with rank 1 as the root, it hangs.
// The fix: the same order on both ranks.
//
// ranks: 2
// expect: collective-mismatch ranks 0,1

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
        MPI_Bcast(scale, COUNT, MPI_INT, ROOT, MPI_COMM_WORLD); //~ collective-mismatch
        MPI_Allreduce(part, sum, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    } else {
        MPI_Allreduce(part, sum, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD); //~ collective-mismatch
        MPI_Bcast(scale, COUNT, MPI_INT, ROOT, MPI_COMM_WORLD);
    }
    printf("rank %d: from %d to %d\n", rank, sum[0] * scale[0], sum[COUNT - 1] * scale[COUNT - 1]);
    MPI_Finalize();
    return 0;
}
