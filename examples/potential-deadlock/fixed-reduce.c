// The program of bug-reduce.c with the report received after the reduction.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int done = 10 * (rank + 1), all = 0, report = 0;
    MPI_Reduce(&done, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&report, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2)
        MPI_Send(&done, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);

    if (rank == 0)
        printf("rank 2 did %d, all did %d\n", report, all);
    MPI_Finalize();
    return 0;
}
