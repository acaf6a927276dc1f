// Counts the primes below a limit; the limit is cut into ranges of equal length.
//
// What is wrong: the range of rank 3 begins beyond the limit. That rank has nothing to count, reports
// so, and returns from main without MPI_Finalize.
// The fix: every way out of the program goes through MPI_Finalize.
//
// ranks: 4
// expect: missing-finalize ranks 3

#include <mpi.h>
#include <stdio.h>

enum { LIMIT = 300, RANGE = 100 };

static int count_primes(int from, int to)
{
    int count = 0;
    for (int n = from < 2 ? 2 : from; n < to; n++) {
        int d = 2;
        while (d * d <= n && n % d != 0)
            d++;
        count += d * d > n;
    }
    return count;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int limit = rank == 0 ? LIMIT : 0;
    MPI_Allreduce(MPI_IN_PLACE, &limit, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    int from = rank * RANGE, primes = 0;
    if (from >= limit) {
        MPI_Send(&primes, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        return 0;
    }
    primes = count_primes(from, from + RANGE);
    if (rank == 0) {
        for (int r = 1; r < size; r++) {
            int more;
            MPI_Recv(&more, 1, MPI_INT, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            primes += more;
        }
        printf("%d primes below %d\n", primes, limit);
    } else {
        MPI_Send(&primes, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
