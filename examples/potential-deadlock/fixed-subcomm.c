// The program of bug-subcomm.c with the message before the reduction in both rows.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, in_row, seed = 0, sum;
    MPI_Comm row;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
    MPI_Comm_rank(row, &in_row);

    int part = rank + 1;
    if (in_row == 0) {
        seed = 42;
        MPI_Send(&seed, 1, MPI_INT, 1, 0, row);
    } else {
        MPI_Recv(&seed, 1, MPI_INT, 0, 0, row, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(&part, &sum, 1, MPI_INT, MPI_SUM, row);

    if (rank == 1)
        printf("sum %d, seed %d\n", sum, seed);
    MPI_Comm_free(&row);
    MPI_Finalize();
    return 0;
}
