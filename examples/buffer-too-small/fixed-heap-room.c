// The twin of bug-heap-room.c: the receive says how much room there is.
//
// ranks: 2
// options: --heap

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *numbers;
    MPI_Alloc_mem(16 * sizeof *numbers, MPI_INFO_NULL, &numbers);
    for (int i = 0; i < 16; i++)
        numbers[i] = i;
    if (rank == 0)
        MPI_Send(numbers, 16, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(numbers, 16, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Free_mem(numbers);
    MPI_Finalize();
    return 0;
}
