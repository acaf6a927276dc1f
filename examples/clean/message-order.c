// Messages that overtake each other where they may, and do not where they may not.
//
// Correct: messages of one pair, tag and communicator keep their order, also between blocking and
// nonblocking, small and large ones; receives with different tags take them in any order.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

enum { BIG = 200000, N = 6 };

static int big[BIG], in_big[BIG];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, small[N], got[N];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    if (rank == 0) {
        MPI_Request requests[N + 2];
        big[BIG - 1] = 99;
        MPI_Isend(big, BIG, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]); /* large first */
        for (int i = 0; i < N; i++) {
            small[i] = i;
            MPI_Isend(&small[i], 1, MPI_INT, 1, i % 2, MPI_COMM_WORLD, &requests[1 + i]);
        }
        MPI_Isend(big, BIG, MPI_INT, 1, 2, MPI_COMM_WORLD, &requests[N + 1]);
        MPI_Waitall(N + 2, requests, MPI_STATUSES_IGNORE);
    } else {
        MPI_Request requests[4];
        MPI_Status status;
        MPI_Recv(in_big, BIG, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* the last one first */
        MPI_Recv(&got[1], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(in_big, BIG, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        /* what is left, in order: 0 2 4 with tag 0, 3 5 with tag 1; tags and wildcards mixed */
        MPI_Irecv(&got[0], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&got[2], 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
        MPI_Irecv(&got[3], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[2]);
        MPI_Irecv(&got[4], 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        MPI_Recv(&got[5], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        printf("%d, then %d %d %d %d %d %d\n", in_big[BIG - 1], got[0], got[1], got[2], got[3], got[4], got[5]);
    }
    MPI_Finalize();
    return 0;
}
