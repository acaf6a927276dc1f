// A receive from anybody and one from rank 0 wait for one message each, and rank 0 sends one, which both could take.
// Persistent receives with `persistent`; with `sends-twice` rank 0 sends another one, and all is well.
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, value = 0, first, second;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int persistent = argc > 1 && !strcmp(argv[1], "persistent"), twice = argc > 1 && !strcmp(argv[1], "sends-twice");
    MPI_Request requests[2];
    MPI_Status statuses[2];
    if (rank == 1 && persistent) {
        MPI_Recv_init(&first, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &requests[0]);
        MPI_Recv_init(&second, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &requests[1]);
        MPI_Startall(2, requests);
    } else if (rank == 1) {
        MPI_Irecv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&second, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &requests[1]);
    }
    // Both receives are there before any message, and that of rank 0 comes before that of rank 2.
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        for (int i = 0; i <= twice; i++)
            MPI_Send(&value, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
        MPI_Send(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &statuses[0]);
        MPI_Send(&value, 1, MPI_INT, 2, 7, MPI_COMM_WORLD);
        MPI_Waitall(2, requests, statuses);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &statuses[0]);
        if (!twice)
            MPI_Send(&value, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
