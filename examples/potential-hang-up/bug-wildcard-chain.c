// Rank 3 gives a part of the work to rank 2 and a part to rank 1, rank 0 gives one to rank 1, and rank 1 tells rank 2 when
// it has begun.
//
// What is wrong: two receives take whoever comes first, and it must be the right one. This time rank 1 begins with what rank
// 0 sends, which comes after rank 2 has its part. If rank 3 is quicker, rank 1 begins with its part and tells rank 2 so
// early that rank 2 takes the word for its part of the work. Then it waits for a word of rank 1 that it has already had.
// The fix: rank 2 receives its part from rank 3.
//
// ranks: 4
// expect: potential-hang-up ranks 2

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { PART, GO };

static int take(int source, int tag)
{
    int value;
    MPI_Recv(&value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ potential-hang-up
    return value;
}

static void give(int value, int to, int tag)
{
    MPI_Send(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    if (rank == 0) {
        take(2, GO);
        give(10, 1, PART);
    } else if (rank == 1) {
        int sum = take(MPI_ANY_SOURCE, PART);
        give(sum, 2, PART);
        sum += take(MPI_ANY_SOURCE, PART);
        printf("rank 1 has %d\n", sum);
    } else if (rank == 2) {
        int part = take(MPI_ANY_SOURCE, PART);
        give(0, 0, GO);
        part += take(1, PART);
        printf("rank 2 has %d\n", part);
    } else {
        int part = 1;
        MPI_Request request;
        MPI_Isend(&part, 1, MPI_INT, 2, PART, MPI_COMM_WORLD, &request);
        usleep(900000);
        give(2, 1, PART);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
