// After the first example of the Keldysh Institute's correctness analyzer (preprint of 2006): an integer
// division by zero on one rank. Every rank folds a sequence of numbers with its own divisors.
//
// What is wrong: the divisor of rank 1 goes down to zero in its last step. The process dies of SIGFPE;
// the others, which wait for its message or for the reduction, can only be killed.
// The fix: the loop ends before the divisor is zero.
//
// ranks: 4
// expect: abend ranks 1
// not-at-once: abend (a signal handler cannot look up lines: it prints the address)

#include <mpi.h>
#include <stdio.h>

static int fold(int j, int first, int last)
{
    for (volatile int i = first; i >= last; i--) {
        j=j/i;
        //~^ abend
        j += 1000;
    }
    return j;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int seed = 500 + rank, last = 0;
    MPI_Allreduce(&seed, &last, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    int folded = fold(last - rank, 5, rank == 1 ? 0 : 1);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, other, sum = 0;
    MPI_Sendrecv(&folded, 1, MPI_INT, next, 0, &other, 1, MPI_INT, previous, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    other -= folded;
    MPI_Reduce(&other, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("folded to %d, the differences add up to %d\n", folded, sum);
    MPI_Finalize();
    return 0;
}
