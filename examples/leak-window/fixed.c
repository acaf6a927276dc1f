// Both ranks add what they have written into memory that they share.
//
// Correct: the window is freed before MPI_Finalize.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, unit, *place, *first, sum = 0;
    MPI_Aint size;
    MPI_Win window;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &place, &window);
    MPI_Win_fence(0, window);
    *place = rank + 1;
    MPI_Win_fence(0, window);
    MPI_Win_shared_query(window, 0, &size, &unit, &first);
    for (int i = 0; i < 2; i++)
        sum += first[i];
    MPI_Win_free(&window);
    MPI_Finalize();
    return sum == 3 ? 0 : 1;
}
