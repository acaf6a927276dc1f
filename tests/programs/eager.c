/* Two ranks send each other 2000 bytes, which libraries buffer; with an argument rank 1 receives first. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    static char out[2000], in[2000];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && argc > 1) {
        MPI_Recv(in, sizeof in, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, sizeof out, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Send(out, sizeof out, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD);
        MPI_Recv(in, sizeof in, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 0)
        printf("through\n");
    MPI_Finalize();
    return 0;
}
