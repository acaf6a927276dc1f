// A chain of ranks whose ends have MPI_PROC_NULL for a neighbour, with every kind of call.
//
// Correct: communication with MPI_PROC_NULL completes at once, also without a partner, with null buffers
// and with requests that all have the same value.
//
// ranks: 3

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, flag;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;

    int mine = rank, from_left = -1, from_right = -1;
    MPI_Request requests[4];
    MPI_Irecv(&from_left, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&from_right, 1, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&mine, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&mine, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);

    MPI_Status status;
    MPI_Recv(NULL, 0, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    int count;
    MPI_Get_count(&status, MPI_INT, &count);
    int as_documented = status.MPI_SOURCE == MPI_PROC_NULL && count == 0;
    MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Ssend(&mine, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Probe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &status);
    as_documented &= flag == 1;

    /* persistent requests to nobody, and requests to nobody that are tested */
    MPI_Request idle[2];
    MPI_Send_init(&mine, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &idle[0]);
    MPI_Recv_init(&mine, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &idle[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, idle);
        do
            MPI_Testall(2, idle, &flag, MPI_STATUSES_IGNORE);
        while (!flag);
    }
    MPI_Request_free(&idle[0]);
    MPI_Request_free(&idle[1]);

    printf("rank %d: %d %d, as documented: %d\n", rank, from_left, from_right, as_documented);
    MPI_Finalize();
    return 0;
}
