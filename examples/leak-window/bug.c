// Both ranks add what they have written into memory that they share.
//
// What is wrong: the window is never freed.
// The fix: call MPI_Win_free.
//
// ranks: 2
// expect: leak-window ranks 0,1

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, unit, *place, *first, sum = 0;
    MPI_Aint size;
    MPI_Win window;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &place, &window); //~ leak-window
    MPI_Win_fence(0, window);
    *place = rank + 1;
    MPI_Win_fence(0, window);
    MPI_Win_shared_query(window, 0, &size, &unit, &first);
    for (int i = 0; i < 2; i++)
        sum += first[i];
    MPI_Finalize();
    return sum == 3 ? 0 : 1;
}
