// A ring in which a value goes round once, over persistent requests.
//
// Fixed: both persistent requests are freed.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;

    int out = rank, in = -1;
    MPI_Request requests[2];
    MPI_Recv_init(&in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(&out, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[1]);
    for (int step = 0; step < size; step++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        out = in;
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);

    printf("rank %d has its own value back: %s\n", rank, in == rank ? "yes" : "no");
    MPI_Finalize();
    return 0;
}
