// Requests of small sends that are complete at once, swapped in their array and copied elsewhere, and completed in
// another order than started.
//
// Correct: a request may be copied like any other value (MPI 4.1, 2.5.1). Libraries give one handle to all sends that
// are complete already: which of them a completion call means, its handle does not tell.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 3 };

static void swap(MPI_Request *a, MPI_Request *b)
{
    MPI_Request kept = *a;
    *a = *b;
    *b = kept;
}

static void sender(void)
{
    int first, second;
    MPI_Request pair[2], copies[2];
    for (int round = 0; round < ROUNDS; round++) {
        first = 10 * round, second = first + 1;
        MPI_Isend(&first, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &pair[0]);
        MPI_Isend(&second, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &pair[1]);
        swap(&pair[0], &pair[1]);
        MPI_Wait(&pair[0], MPI_STATUS_IGNORE); /* the second */
        second = -1;
        MPI_Wait(&pair[1], MPI_STATUS_IGNORE);
        first = -1;

        first = 10 * round + 2, second = first + 1;
        MPI_Isend(&first, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &pair[0]);
        MPI_Isend(&second, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &pair[1]);
        copies[0] = pair[1];
        copies[1] = pair[0];
        MPI_Wait(&copies[0], MPI_STATUS_IGNORE); /* the second, through a copy */
        MPI_Recv(&second, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&copies[1], MPI_STATUS_IGNORE);
        first = second;
    }
    printf("last answer %d\n", first);
}

static void receiver(void)
{
    int values[2];
    for (int message = 0; message < 2 * ROUNDS; message++) {
        for (int tag = 0; tag < 2; tag++)
            MPI_Recv(&values[tag], 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (message % 2)
            MPI_Send(&values[1], 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    }
    printf("last values %d %d\n", values[0], values[1]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        sender();
    else
        receiver();
    MPI_Finalize();
    return 0;
}
