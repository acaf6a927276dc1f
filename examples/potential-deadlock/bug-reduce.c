// All ranks add up what they did, and rank 2 reports what it did alone.
//
// What is wrong: rank 2 sends its report after the reduction, rank 0 wants it before. Ranks that only contribute to a
// reduction may wait in it for all others; the MPI library lets them go on before the root comes.
// The fix: the root receives the report after the reduction.
//
// ranks: 4
// expect: potential-deadlock ranks 0,2

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int done = 10 * (rank + 1), all = 0, report = 0;
    if (rank == 0)
        MPI_Recv(&report, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ potential-deadlock
    MPI_Reduce(&done, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD); //~ potential-deadlock
    if (rank == 2)
        MPI_Send(&done, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);

    if (rank == 0)
        printf("rank 2 did %d, all did %d\n", report, all);
    MPI_Finalize();
    return 0;
}
