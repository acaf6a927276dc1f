// Buffered sends with buffers of exactly the size that is needed, attached and detached in turn.
//
// Correct: a message takes its packed size and MPI_BSEND_OVERHEAD; after MPI_Bsend the message is out of the program's
// buffer, after MPI_Ibsend it is so on completion; MPI_Buffer_detach waits for the messages and frees the space
// (MPI 4.1, 3.6 and 3.6.1).
//
// ranks: 2

#include <mpi.h>
#include <stdlib.h>

enum { N = 1000, MESSAGES = 3, CYCLES = 4 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, other, wrong = 0, packed, detached_size, data[2 * N];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Datatype strided;
    MPI_Type_vector(N, 1, 2, MPI_INT, &strided);
    MPI_Type_commit(&strided);
    MPI_Pack_size(1, strided, MPI_COMM_WORLD, &packed);
    int size = MESSAGES * (packed + MPI_BSEND_OVERHEAD);
    void *space = malloc(size), *detached;

    for (int cycle = 0; cycle < CYCLES; cycle++) {
        MPI_Buffer_attach(space, size);
        for (int m = 0; m < MESSAGES; m++) {
            for (int i = 0; i < 2 * N; i++)
                data[i] = i + 100 * m + cycle + rank;
            if (m == 1) {
                MPI_Request request;
                MPI_Ibsend(data, 1, strided, other, m, MPI_COMM_WORLD, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            } else {
                MPI_Bsend(data, 1, strided, other, m, MPI_COMM_WORLD);
            }
            data[0] = data[2] = -1; /* already the program's own again */
        }
        for (int m = 0; m < MESSAGES; m++) {
            MPI_Recv(data, N, MPI_INT, other, m, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < N; i++)
                wrong += data[i] != 2 * i + 100 * m + cycle + other;
        }
        MPI_Buffer_detach(&detached, &detached_size);
        wrong += detached != space || detached_size != size;
    }
    free(space);
    MPI_Type_free(&strided);
    MPI_Finalize();
    return wrong != 0;
}
