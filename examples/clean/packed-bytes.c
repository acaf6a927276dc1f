// MPI_PACKED and MPI_BYTE, the two types with rules of their own.
//
// Correct: packed data may be received as what was packed, and any data as MPI_PACKED; MPI_BYTE matches
// MPI_BYTE, whatever lies in the memory.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    char buffer[200];
    struct {
        int n;
        float x;
    } raw = {0, 0};
    if (rank == 0) {
        int n = 3, position = 0, numbers[4] = {1, 2, 3, 4};
        double values[3] = {1.5, 2.5, 3.5};
        MPI_Pack(&n, 1, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
        MPI_Pack(values, n, MPI_DOUBLE, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
        MPI_Send(buffer, position, MPI_PACKED, 1, 0, MPI_COMM_WORLD);

        position = 0;
        MPI_Pack(numbers, 4, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
        MPI_Send(buffer, position, MPI_PACKED, 1, 1, MPI_COMM_WORLD); /* received as four integers */
        MPI_Send(numbers, 4, MPI_INT, 1, 2, MPI_COMM_WORLD);          /* received as packed */

        raw.n = 42;
        raw.x = 0.25f;
        MPI_Send(&raw, sizeof raw, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
    } else {
        int n, position = 0, numbers[4], more[4], size;
        double values[3], sum = 0;
        MPI_Status status;
        MPI_Recv(buffer, sizeof buffer, MPI_PACKED, 0, 0, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_PACKED, &size);
        MPI_Unpack(buffer, size, &position, &n, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Unpack(buffer, size, &position, values, n, MPI_DOUBLE, MPI_COMM_WORLD);
        for (int i = 0; i < n; i++)
            sum += values[i];
        MPI_Recv(numbers, 4, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(buffer, sizeof buffer, MPI_PACKED, 0, 2, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_PACKED, &size);
        position = 0;
        MPI_Unpack(buffer, size, &position, more, 4, MPI_INT, MPI_COMM_WORLD);
        MPI_Recv(&raw, sizeof raw, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%.1f, %d %d, %d %.2f\n", sum, numbers[3], more[2], raw.n, raw.x);
    }
    MPI_Finalize();
    return 0;
}
