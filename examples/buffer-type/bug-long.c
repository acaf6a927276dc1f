// All processes add up how many cells they have.
//
// What is wrong: the number of cells became a long, and the call still says MPI_INT. The sum has the lower half of it.
// The fix: the call says MPI_LONG.
//
// ranks: 2
// expect: buffer-type ranks 0,1

#include <mpi.h>

struct grid {
    long cells;
    double width;
};

static void count(struct grid *grid, long *sum)
{
    *sum = 0;
    MPI_Allreduce(&grid->cells, sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); //~ buffer-type
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    struct grid grid = {argc, 1};
    long sum;
    count(&grid, &sum);
    MPI_Finalize();
    return sum == 0;
}
