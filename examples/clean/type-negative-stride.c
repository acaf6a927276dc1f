// An array is turned round on its way: the types go backwards through memory.
//
// Correct: strides and displacements may be negative, and the buffer address is then not the lowest one that is
// accessed (MPI 4.1, 5.1.2).
//
// ranks: 2

#include <mpi.h>

enum { N = 10 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, data[N];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype backwards, pairs, outwards;
    MPI_Type_vector(N, 1, -1, MPI_INT, &backwards);
    MPI_Type_create_hvector(N / 2, 2, -2 * (MPI_Aint)sizeof(int), MPI_INT, &pairs);
    MPI_Type_indexed(3, (int[]){2, 1, 1}, (int[]){0, -1, -4}, MPI_INT, &outwards);
    MPI_Type_commit(&backwards);
    MPI_Type_commit(&pairs);
    MPI_Type_commit(&outwards);
    if (rank == 0) {
        for (int i = 0; i < N; i++)
            data[i] = i;
        MPI_Send(&data[N - 1], 1, backwards, 1, 0, MPI_COMM_WORLD);
        MPI_Send(data, N, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Send(&data[N - 2], 1, pairs, 1, 2, MPI_COMM_WORLD);
        MPI_Send(&data[5], 1, outwards, 1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Recv(data, N, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < N; i++)
            wrong += data[i] != N - 1 - i;
        MPI_Recv(&data[N - 1], 1, backwards, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < N; i++)
            wrong += data[i] != N - 1 - i;
        MPI_Recv(data, N, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < N; i++)
            wrong += data[i] != (N - 2 - i / 2 * 2) + i % 2;
        MPI_Recv(&data[5], 1, outwards, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += data[5] != 5 || data[6] != 6 || data[4] != 4 || data[1] != 1;
    }
    MPI_Type_free(&backwards);
    MPI_Type_free(&pairs);
    MPI_Type_free(&outwards);
    MPI_Finalize();
    return wrong != 0;
}
