// Receives into neighbouring bytes, and into the gaps between the blocks of another pending receive.
//
// Correct: buffers that touch do not overlap; what a pending type leaves out is free for others (MPI 4.1, 3.7.2).
//
// ranks: 2

#include <mpi.h>
#include <string.h>

enum { N = 64 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype odd, thirds;
    MPI_Type_vector(N / 2, 1, 2, MPI_CHAR, &odd);
    MPI_Type_vector(N / 4, 3, 4, MPI_CHAR, &thirds); /* three of every four bytes */
    MPI_Type_commit(&odd);
    MPI_Type_commit(&thirds);
    char bytes[N], woven[N], single[N], text[N];
    MPI_Request requests[N];
    for (int i = 0; i < N; i++)
        text[i] = (char)(i + 1);
    int started = 0;
    if (rank == 0) {
        MPI_Isend(text, N / 2, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &requests[started++]);
        MPI_Isend(text + N / 2, N / 2, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &requests[started++]);
        MPI_Isend(text, N * 3 / 4, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &requests[started++]);
        for (int i = 3; i < N; i += 4)
            MPI_Isend(text + i, 1, MPI_CHAR, 1, 3, MPI_COMM_WORLD, &requests[started++]);
        for (int i = 0; i < N; i += 8)
            MPI_Isend(text + i, 8, MPI_CHAR, 1, 4, MPI_COMM_WORLD, &requests[started++]);
    } else {
        memset(bytes, 0, N);
        MPI_Irecv(bytes, 1, odd, 0, 0, MPI_COMM_WORLD, &requests[started++]);
        MPI_Irecv(bytes + 1, 1, odd, 0, 1, MPI_COMM_WORLD, &requests[started++]);
        MPI_Irecv(woven, 1, thirds, 0, 2, MPI_COMM_WORLD, &requests[started++]);
        for (int i = 3; i < N; i += 4)
            MPI_Irecv(woven + i, 1, MPI_CHAR, 0, 3, MPI_COMM_WORLD, &requests[started++]);
        for (int i = 0; i < N; i += 8)
            MPI_Irecv(single + i, 8, MPI_CHAR, 0, 4, MPI_COMM_WORLD, &requests[started++]);
    }
    MPI_Waitall(started, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < N && rank == 1; i++) {
        wrong += bytes[i] != i / 2 + 1 + i % 2 * (N / 2);
        wrong += woven[i] != (i % 4 == 3 ? i + 1 : i / 4 * 3 + i % 4 + 1);
        wrong += single[i] != i + 1;
    }
    MPI_Type_free(&odd);
    MPI_Type_free(&thirds);
    MPI_Finalize();
    return wrong != 0;
}
