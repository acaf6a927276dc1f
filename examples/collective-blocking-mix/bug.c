// Every rank computes for a while; rank 0 also writes down how far it has got, while the others finish.
//
// What is wrong: rank 0 starts the barrier with MPI_Ibarrier in order to write meanwhile, the others call
// MPI_Barrier. The two forms do not match: all wait for ever.
// The fix: all start it with MPI_Ibarrier; who has nothing to do meanwhile waits at once.
//
// ranks: 3
// expect: collective-blocking-mix ranks 0,1,2

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
    if (rank == 0) {
        MPI_Request all_done;
        MPI_Ibarrier(MPI_COMM_WORLD, &all_done); //~ collective-blocking-mix
        printf("rank 0 has %.3f\n", x);
        MPI_Wait(&all_done, MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(MPI_COMM_WORLD); //~ collective-blocking-mix
    }
    MPI_Finalize();
    return 0;
}
