// A persistent receive fails, since the message is too long; the program is told, and starts the request again. What
// is wrong is the length of that message and nothing else. Open MPI 4.1 takes a request away that has failed.

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, data[4] = {1, 2, 3, 4}, failures = 0;
    MPI_Request requests[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 1) {
        MPI_Recv_init(&data[0], 2, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Recv_init(&data[2], 2, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[1]);
    }
    for (int round = 0; round < 3; round++) {
        if (rank == 0) {
            MPI_Send(data, round == 0 ? 3 : 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Send(data, 2, MPI_INT, 1, 1, MPI_COMM_WORLD);
        } else {
            MPI_Startall(2, requests);
            for (int i = 0; i < 2; i++)
                failures += MPI_Wait(&requests[i], MPI_STATUS_IGNORE) != MPI_SUCCESS;
            if (requests[0] == MPI_REQUEST_NULL)
                MPI_Recv_init(&data[0], 2, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
            /* the buffers are the program's again */
            MPI_Sendrecv(&data[0], 2, MPI_INT, 1, 2, &data[2], 2, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 1) {
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
        printf("%d failed\n", failures);
    }
    MPI_Finalize();
    return 0;
}
