// Each rank gets the last cell of its neighbour's field, which is shorter on odd ranks.
//
// What is wrong: the displacement is computed from the length of the own field.
// The fix: use the length of the neighbour's field.
//
// ranks: 2
// expect: rma-range ranks 0
// not-at-once: rma-range (only the neighbour knows the length of its field)

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, length, cell = -1, *field;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    length = rank % 2 == 0 ? 8 : 4;
    MPI_Win_allocate(length * sizeof *field, sizeof *field, MPI_INFO_NULL, MPI_COMM_WORLD, &field, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    for (int i = 0; i < length; i++)
        field[i] = rank;

    MPI_Win_fence(0, win);
    MPI_Get(&cell, 1, MPI_INT, 1 - rank, length - 1, 1, MPI_INT, win); //~ rma-range
    MPI_Win_fence(0, win);

    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
