// Types that are freed while operations and other types use them.
//
// Correct: MPI_Type_free only marks the type; pending operations, inactive persistent requests and types built of it
// go on (MPI 4.1, 5.1.9). A new type may get the same handle at once.
//
// ranks: 2

#include <mpi.h>

enum { N = 2000 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, other, wrong = 0, first[N], second[N];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Request requests[4];
    MPI_Datatype even, pairs, pair_of_pairs;

    MPI_Type_contiguous(2, MPI_INT, &pairs);
    MPI_Type_contiguous(2, pairs, &pair_of_pairs);
    MPI_Type_commit(&pairs);
    MPI_Type_commit(&pair_of_pairs);
    MPI_Send_init(first, N / 2, pairs, other, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Recv_init(second, N / 4, pair_of_pairs, other, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Type_free(&pairs);
    MPI_Type_free(&pair_of_pairs);

    for (int i = 0; i < N; i++)
        first[i] = second[i] = rank;
    MPI_Type_vector(N / 2, 1, 2, MPI_INT, &even);
    MPI_Type_commit(&even);
    MPI_Irecv(second, 1, even, other, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(first, 1, even, other, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Type_free(&even);
    MPI_Type_contiguous(7, MPI_DOUBLE, &even); /* another type in the same variable */
    MPI_Type_commit(&even);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Type_free(&even);
    for (int i = 0; i < N; i++)
        wrong += second[i] != (i % 2 == 0 ? other : rank);

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++)
            first[i] = 10 * i + rank + round;
        MPI_Startall(2, &requests[2]);
        MPI_Waitall(2, &requests[2], MPI_STATUSES_IGNORE);
        for (int i = 0; i < N; i++)
            wrong += second[i] != 10 * i + other + round;
    }
    MPI_Request_free(&requests[2]);
    MPI_Request_free(&requests[3]);
    MPI_Finalize();
    return wrong != 0;
}
