// Numerical integration: every rank computes one part of the integral, rank 0 prints the sum.
//
// Fixed: all ranks take part in the reduction.
//
// ranks: 4

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
        double pi = 0;
        MPI_Reduce(&part, &pi, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        printf("pi is about %.6f\n", pi);
    } else {
        MPI_Reduce(&part, NULL, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
