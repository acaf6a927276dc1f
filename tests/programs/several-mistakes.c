// Two ranks with several mistakes, each in a line of its own: one wrong type, three sends without a completion on rank 0,
// two different reductions.

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int data[4] = {rank, 1, 2, 3}, in[4], out = 0;
    MPI_Request lost[3];
    if (rank == 0) {
        MPI_Send(data, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Isend(&data[1], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &lost[0]);
        MPI_Isend(&data[2], 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &lost[1]);
        MPI_Isend(&data[3], 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &lost[2]);
    } else {
        MPI_Recv(in, 4, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int tag = 1; tag < 4; tag++)
            MPI_Recv(in, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Reduce(data, &out, 1, MPI_INT, rank == 0 ? MPI_SUM : MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(data, &out, 1, MPI_INT, rank == 0 ? MPI_MIN : MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
