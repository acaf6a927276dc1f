// The twin of bug-long.c: the call says the type of the number.
//
// ranks: 2

#include <mpi.h>

struct grid {
    long cells;
    double width;
};

static void count(struct grid *grid, long *sum)
{
    *sum = 0;
    MPI_Allreduce(&grid->cells, sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
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
