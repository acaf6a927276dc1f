// Numerical integration: every rank computes one part of the integral, rank 0 prints the sum.
//
// What is wrong: rank 0 still gathers the parts, as an older version did, while the others already take
// part in a reduction. All ranks must call the same collective operation. The others get through, since
// they only send; rank 0 waits for ever.
// The fix: rank 0 calls the reduction as well.
//
// ranks: 4
// expect: collective-mismatch ranks 0,1,2,3

#include <mpi.h>
#include <stdio.h>

enum { POINTS = 1000, RANKS = 4 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double part = 0, width = 1.0 / (POINTS * RANKS);
    for (int i = 0; i < POINTS; i++) {
        double x = (rank * POINTS + i + 0.5) * width;
        part += 4.0 / (1.0 + x * x) * width;
    }

    if (rank == 0) {
        double parts[RANKS], pi = 0;
        MPI_Gather(&part, 1, MPI_DOUBLE, parts, 1, MPI_DOUBLE, 0, //~ collective-mismatch
                   MPI_COMM_WORLD);
        for (int r = 0; r < RANKS; r++)
            pi += parts[r];
        printf("pi is about %.6f\n", pi);
    } else {
        MPI_Reduce(&part, NULL, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); //~ collective-mismatch
    }
    MPI_Finalize();
    return 0;
}
