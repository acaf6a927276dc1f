// MPI_PROC_NULL with wildcards, probes, and addresses that are no memory.
//
// Correct: nothing is sent to and nothing received from MPI_PROC_NULL, so the buffer is not touched; the status says
// MPI_PROC_NULL, MPI_ANY_TAG and nothing received; a matched probe gives MPI_MESSAGE_NO_PROC (MPI 4.1, 3.11 and 3.8).
//
// ranks: 2

#include <mpi.h>
#include <stddef.h>

static int is_null_status(const MPI_Status *status)
{
    int count;
    MPI_Get_count(status, MPI_INT, &count);
    return status->MPI_SOURCE == MPI_PROC_NULL && status->MPI_TAG == MPI_ANY_TAG && count == 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, flag = 0, in[4] = {-1, -1, -1, -1};
    char *nowhere = NULL;
    nowhere += 64;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Status status, statuses[3];
    MPI_Request requests[3];
    MPI_Message message;
    MPI_Recv(nowhere, 1000, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    wrong += !is_null_status(&status);
    MPI_Send(nowhere, 1000, MPI_DOUBLE, MPI_PROC_NULL, 3, MPI_COMM_WORLD);
    MPI_Probe(MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    wrong += !is_null_status(&status);
    MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    wrong += !flag;
    MPI_Mprobe(MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    wrong += message != MPI_MESSAGE_NO_PROC || !is_null_status(&status);
    MPI_Mrecv(nowhere, 10, MPI_INT, &message, &status);
    wrong += message != MPI_MESSAGE_NULL || !is_null_status(&status);

    /* only one half of these has a partner: a shift in a chain of two */
    int up = rank == 0 ? 1 : MPI_PROC_NULL, down = rank == 1 ? 0 : MPI_PROC_NULL;
    MPI_Sendrecv(&rank, 1, MPI_INT, up, 0, in, 4, MPI_INT, down, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    wrong += rank == 0 ? !is_null_status(&status) || in[0] != -1 : in[0] != 0;
    MPI_Sendrecv_replace(in, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    wrong += in[3] != -1;

    /* one buffer, many operations: none of them touches it */
    MPI_Irecv(in, 4, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in, 4, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(in, 4, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &requests[2]);
    in[2] = 5;
    MPI_Waitall(3, requests, statuses);
    wrong += !is_null_status(&statuses[0]) || !is_null_status(&statuses[1]) || in[2] != 5;
    MPI_Recv_init(nowhere, 8, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Finalize();
    return wrong != 0;
}
