/* Rank 1 takes one message from anybody and then one from rank 2. It gets through only because rank 0 is first.
 * Otherwise it waits for rank 2, which waits for its answer. Argument: how the first message is taken. Rank 2 sends 0.3 s after rank 0. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int said(const char *how, const char *word)
{
    return !strcmp(how, word);
}

static void take_first(const char *how)
{
    int value = 0, out = 1, flag = 0;
    MPI_Status status;
    MPI_Request request;
    if (said(how, "recv")) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    } else if (said(how, "irecv")) {
        MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, &status);
    } else if (said(how, "init")) {
        MPI_Recv_init(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Wait(&request, &status);
        MPI_Request_free(&request);
    } else if (said(how, "sendrecv")) {
        MPI_Sendrecv(&out, 1, MPI_INT, MPI_PROC_NULL, 9, &value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
    } else if (said(how, "probe")) {
        MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
        MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 5, MPI_COMM_WORLD, &status);
    } else if (said(how, "iprobe")) {
        while (!flag)
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
        MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
    } else {
        MPI_Message message;
        if (said(how, "mprobe"))
            MPI_Mprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &message, &status);
        while (said(how, "improbe") && !flag)
            MPI_Improbe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, &message, &status);
        MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "recv";
    MPI_Init(&argc, &argv);
    int rank, value = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        /* A wildcard that the witnesses do not name. */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        take_first(how);
        MPI_Recv(&value, 1, MPI_INT, 2, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 2, 3, MPI_COMM_WORLD);
    } else {
        if (rank == 0)
            MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        else
            MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
        if (rank == 0) {
            struct timespec pause = {0, 300000000};
            nanosleep(&pause, NULL);
            MPI_Send(&value, 1, MPI_INT, 2, 2, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
