/* Says which thread level the library provides, with MPI_Init or with MPI_Init_thread and the number of the argument. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int provided = -1, known = -1, rank;
    if (argc > 1)
        MPI_Init_thread(&argc, &argv, atoi(argv[1]), &provided);
    else
        MPI_Init(&argc, &argv);
    MPI_Query_thread(&known);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("provided %d, known %d\n", provided, known);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Query_thread(&known);
    if (rank == 0)
        printf("in the end %d\n", known);
    MPI_Finalize();
    return 0;
}
