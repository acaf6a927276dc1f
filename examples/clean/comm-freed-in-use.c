// Communicators that are freed while operations on them are pending.
//
// Correct: MPI_Comm_free is collective and marks the communicator; pending operations complete normally, and the object
// goes when they are done (MPI 4.1, 7.4.3). A new communicator may get the same handle.
//
// ranks: 3

#include <mpi.h>

enum { N = 30000 };

static int data[N];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < N; i++)
        data[i] = rank;
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    static int large[N];
    for (int round = 0; round < 5; round++) {
        MPI_Comm comm, next;
        MPI_Request requests[4];
        int in = -1, out = rank + 10 * round, later = -1;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Irecv(&in, 1, MPI_INT, left, 0, comm, &requests[0]);
        MPI_Irecv(large, N, MPI_INT, left, 1, comm, &requests[1]);
        MPI_Isend(&out, 1, MPI_INT, right, 0, comm, &requests[2]);
        MPI_Isend(data, N, MPI_INT, right, 1, comm, &requests[3]);
        MPI_Comm_free(&comm);
        wrong += comm != MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &next);
        MPI_Sendrecv(&out, 1, MPI_INT, left, 0, &later, 1, MPI_INT, right, 0, next, MPI_STATUS_IGNORE);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        MPI_Comm_free(&next);
        wrong += in != left + 10 * round || later != right + 10 * round || large[N - 1] != left;
    }
    MPI_Finalize();
    return wrong != 0;
}
