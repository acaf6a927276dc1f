// Process 1 receives what process 0 sends, into memory that MPI has allocated.
//
// What is wrong: the receive says that there is room for 64 numbers, and there is room for 16. The message of this run fits.
// The fix: the receive says how much room there is.
//
// ranks: 2
// options: --heap
// expect: buffer-too-small ranks 1

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
        MPI_Recv(numbers, 64, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ buffer-too-small
    MPI_Free_mem(numbers);
    MPI_Finalize();
    return 0;
}
