// Persistent requests that are started a hundred times, in four modes, and completed in different ways.
//
// Correct: the same four handles name a hundred operations each; inactive requests take part in
// completion calls; all are freed in the end.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 100 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;

    int space = 2 * ((int)sizeof(int) + MPI_BSEND_OVERHEAD);
    void *buffer = malloc(space);
    MPI_Buffer_attach(buffer, space);

    int out[3], in[3], sum = 0;
    MPI_Request requests[6];
    MPI_Send_init(&out[0], 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Ssend_init(&out[1], 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Bsend_init(&out[2], 1, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[2]);
    for (int i = 0; i < 3; i++)
        MPI_Recv_init(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[3 + i]);

    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < 3; i++)
            out[i] = rank + step + i;
        MPI_Startall(6, requests);
        if (step % 3 == 0) {
            MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
        } else if (step % 3 == 1) {
            for (int i = 5; i >= 0; i--)
                MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        } else {
            int index;
            do /* ends with MPI_UNDEFINED, when all are inactive */
                MPI_Waitany(6, requests, &index, MPI_STATUS_IGNORE);
            while (index != MPI_UNDEFINED);
        }
        MPI_Buffer_detach(&buffer, &space);
        MPI_Buffer_attach(buffer, space);
        sum += in[0] + in[1] + in[2];
    }
    for (int i = 0; i < 6; i++)
        MPI_Request_free(&requests[i]);
    MPI_Buffer_detach(&buffer, &space);
    free(buffer);

    int total;
    MPI_Reduce(&sum, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("total %d\n", total);
    MPI_Finalize();
    return 0;
}
