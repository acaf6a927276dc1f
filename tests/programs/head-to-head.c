/* The first two ranks send to each other before they receive: right only as long as the library buffers the messages.
 * Arguments: how they send, and how many doubles. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 100000

static double sent[MOST], received[MOST];

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "send";
    int count = argc > 2 ? atoi(argv[2]) : 10;
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int other = rank < 2 ? 1 - rank : MPI_PROC_NULL;
    if (!strcmp(how, "send")) {
        MPI_Send(sent, count, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
#if MPI_VERSION >= 4
    } else if (!strcmp(how, "send_c")) {
        MPI_Send_c(sent, count, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
#endif
    } else {
        MPI_Request request;
        if (!strcmp(how, "isend")) {
            MPI_Isend(sent, count, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &request);
        } else {
            MPI_Send_init(sent, count, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &request);
            MPI_Start(&request);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (request != MPI_REQUEST_NULL)
            MPI_Request_free(&request);
    }
    MPI_Recv(received, count, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
