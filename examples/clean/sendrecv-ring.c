// Rings with MPI_Sendrecv and MPI_Sendrecv_replace, in both directions, with large messages, to oneself.
//
// Correct: MPI_Sendrecv does not deadlock in a ring, also when nothing is buffered; it may match plain
// sends and receives; source and destination may be the rank itself.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

enum { N = 100000 };

static int out[N], in[N];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size, sum = 0, total;

    for (int i = 0; i < N; i++)
        out[i] = rank + i;
    MPI_Sendrecv(out, N, MPI_INT, right, 0, in, N, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += in[N - 1];
    MPI_Sendrecv(out, 10, MPI_INT, left, 1, in, N, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    sum += in[9];
    for (int step = 0; step < size; step++) /* once round */
        MPI_Sendrecv_replace(out, N, MPI_INT, right, 2, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += out[N - 1] == rank + N - 1;
    MPI_Sendrecv(&rank, 1, MPI_INT, rank, 3, in, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += in[0];

    /* a plain send and receive on rank 0 against a sendrecv on rank 1 */
    if (rank == 0) {
        MPI_Send(out, 5, MPI_INT, 1, 4, MPI_COMM_WORLD);
        MPI_Recv(in, 5, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Sendrecv(out, 5, MPI_INT, 0, 5, in, 5, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }

    MPI_Reduce(&sum, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("total %d\n", total);
    MPI_Finalize();
    return 0;
}
