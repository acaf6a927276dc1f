// Two libraries each work on a copy of the communicator of their own; at the end the program closes them.
//
// What is wrong: rank 0 closes the output first, since it alone has written something; the others close the solver
// first. MPI_Comm_free is collective: where it waits for the others, the ranks wait for each other.
// The fix: all close them in the same order.
//
// ranks: 3
// expect: comm-free-mismatch ranks 0,1,2

#include <mpi.h>
#include <stdio.h>

static MPI_Comm solver, output;

static void close_solver(void)
{
    MPI_Comm_free(&solver); //~ comm-free-mismatch
}

static void close_output(void)
{
    MPI_Comm_free(&output); //~ comm-free-mismatch
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, sum;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &solver);
    MPI_Comm_dup(MPI_COMM_WORLD, &output);

    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, solver);
    MPI_Barrier(output);
    if (rank == 0) {
        printf("the sum is %d\n", sum);
        close_output();
        close_solver();
    } else {
        close_solver();
        close_output();
    }
    MPI_Finalize();
    return 0;
}
