// Rank 0 puts four numbers into the memory of rank 1, and gets them back as bytes and as a column.
//
// Correct: the elements are of the same type on both sides, or untyped on one of them.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    float numbers[4] = {1, 2, 3, 4}, back[4], rows[4][2], *memory;
    MPI_Datatype column;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(4, 1, 2, MPI_FLOAT, &column);
    MPI_Type_commit(&column);
    MPI_Win_allocate(sizeof numbers, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);

    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(numbers, 4, MPI_FLOAT, 1, 0, 4, MPI_FLOAT, win);
    MPI_Win_fence(0, win);
    MPI_Get(back, sizeof back, MPI_BYTE, 1 - rank, 0, 4, MPI_FLOAT, win);
    MPI_Get(rows, 1, column, 1 - rank, 0, 4, MPI_FLOAT, win);
    MPI_Win_fence(0, win);

    MPI_Type_free(&column);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
