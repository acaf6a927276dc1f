// What bug-each.c does, right: the array is written when MPI_Wait has returned, and before only what lies between the
// numbers that are received. Also in place, and with nothing to receive.
//
// ranks: 2
// options: --checksums all

#include <mpi.h>
#include <stddef.h>

enum { N = 4 };

static int mine[4 * N], theirs[4 * N];

static void fill(int rank)
{
    for (int i = 0; i < 4 * N; i++) {
        mine[i] = 100 * rank + i + 1;
        theirs[i] = 0;
    }
}

/* The numbers of every second place are received, these are those between them. */
static void fill_gaps(void)
{
    for (int i = 1; i < 4 * N; i += 2)
        theirs[i] = -1;
}

static void finish(MPI_Request *request)
{
    MPI_Barrier(MPI_COMM_WORLD);
    fill_gaps();
    MPI_Wait(request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 4 * N; i++)
        theirs[i] = -2;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Request request;
    MPI_Datatype spread, resized;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(N, 1, 2, MPI_INT, &spread);
    MPI_Type_create_resized(spread, 0, 2 * N * (MPI_Aint)sizeof(int), &resized);
    MPI_Type_commit(&resized);
    MPI_Type_free(&spread);

    fill(rank);
    MPI_Ibcast(rank == 0 ? mine : theirs, 1, resized, 0, MPI_COMM_WORLD, &request);
    finish(&request);
    fill(rank);
    MPI_Igather(mine, N, MPI_INT, theirs, 1, resized, 1, MPI_COMM_WORLD, &request);
    finish(&request);
    fill(rank);
    MPI_Iscatter(mine, N, MPI_INT, theirs, 1, resized, 0, MPI_COMM_WORLD, &request);
    finish(&request);
    fill(rank);
    MPI_Iallgather(mine, N, MPI_INT, theirs, 1, resized, MPI_COMM_WORLD, &request);
    finish(&request);
    fill(rank);
    MPI_Ialltoall(mine, N, MPI_INT, theirs, 1, resized, MPI_COMM_WORLD, &request);
    finish(&request);

    /* In place: what a rank sends stands where it receives. */
    fill(rank);
    MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, mine, N, MPI_INT, MPI_COMM_WORLD, &request);
    finish(&request);
    fill(rank);
    MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, mine, N, MPI_INT, MPI_COMM_WORLD, &request);
    finish(&request);
    fill(rank);
    MPI_Igather(rank == 1 ? MPI_IN_PLACE : mine, N, MPI_INT, rank == 1 ? mine : NULL, N, MPI_INT, 1, MPI_COMM_WORLD,
                &request);
    finish(&request);
    fill(rank);
    MPI_Iallreduce(MPI_IN_PLACE, mine, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    finish(&request);

    /* Nothing is received. */
    MPI_Ibcast(theirs, 0, MPI_INT, 0, MPI_COMM_WORLD, &request);
    finish(&request);
    MPI_Ialltoall(mine, 0, MPI_INT, theirs, 0, MPI_INT, MPI_COMM_WORLD, &request);
    finish(&request);

    MPI_Type_free(&resized);
    MPI_Finalize();
    return 0;
}
