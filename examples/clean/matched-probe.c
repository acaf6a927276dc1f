// Matched probes: MPI_Mprobe, MPI_Improbe, MPI_Mrecv and MPI_Imrecv.
//
// Correct: a matched probe takes the message out of the queue, so that a receive posted later gets the
// next one, although the matched message is received after it.
//
// ranks: 3

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    if (rank != 0) {
        for (int n = 0; n < 4; n++) {
            int value = 10 * rank + n;
            MPI_Send(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
        }
        MPI_Finalize();
        return 0;
    }
    for (int source = 1; source < size; source++) {
        MPI_Message first, third;
        MPI_Status status;
        int values[4], found = 0;
        MPI_Mprobe(source, 5, MPI_COMM_WORLD, &first, &status);
        MPI_Recv(&values[1], 1, MPI_INT, source, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        while (!found)
            MPI_Improbe(source, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &third, &status);
        MPI_Recv(&values[3], 1, MPI_INT, source, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

        MPI_Request request;
        MPI_Imrecv(&values[2], 1, MPI_INT, &third, &request);
        MPI_Mrecv(&values[0], 1, MPI_INT, &first, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        printf("%d %d %d %d, handles are null: %d\n", values[0], values[1], values[2], values[3],
               first == MPI_MESSAGE_NULL && third == MPI_MESSAGE_NULL);
    }

    MPI_Message none; /* a matched probe of MPI_PROC_NULL gives MPI_MESSAGE_NO_PROC */
    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &none, MPI_STATUS_IGNORE);
    MPI_Mrecv(NULL, 0, MPI_INT, &none, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
