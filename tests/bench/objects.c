/*
 * What objects cost that are made and freed in a loop, in nanoseconds of processor time: the best of seven times.
 *
 *   objects communicators|datatypes COUNT
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static void communicator(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_free(&comm);
}

static void datatype(void)
{
    MPI_Datatype vector;
    MPI_Type_vector(4, 2, 8, MPI_DOUBLE, &vector);
    MPI_Type_commit(&vector);
    MPI_Type_free(&vector);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc != 3) {
        fprintf(stderr, "usage: objects communicators|datatypes COUNT\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    long count = atol(argv[2]);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double best = 1e300;
    for (int round = 0; round < 7; round++) {
        double start = now();
        for (long i = 0; i < count; i++)
            *argv[1] == 'c' ? communicator() : datatype();
        double each = (now() - start) / count;
        if (each < best)
            best = each;
    }
    if (rank == 0)
        printf("%s: %.0f ns\n", argv[1], best);
    MPI_Finalize();
    return 0;
}
