// Every rank computes for a while; rank 0 also writes down how far it has got, while the others finish.
//
// Fixed: all start the barrier with MPI_Ibarrier, and wait for it when they have nothing else to do.
//
// ranks: 3

#include <mpi.h>
#include <stdio.h>

static double work(int rank)
{
    double x = rank;
    for (int i = 0; i < 1000; i++)
        x = 0.5 * x + 1;
    return x;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double x = work(rank);
    MPI_Request all_done;
    MPI_Ibarrier(MPI_COMM_WORLD, &all_done);
    if (rank == 0)
        printf("rank 0 has %.3f\n", x);
    MPI_Wait(&all_done, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
