// Sparse exchange with a nonblocking barrier: nobody knows how many messages will come.
//
// Correct: synchronous sends, a probe loop, and MPI_Ibarrier started as soon as the own sends are matched;
// who has passed the barrier knows that nothing can come any more.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, sum = 0, messages = 0, total;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    for (int round = 0; round < 5; round++) {
        MPI_Request sends[8], barrier = MPI_REQUEST_NULL;
        int values[8], n = 0;
        for (int to = 0; to < size; to++)
            if (to != rank && (rank + to + round) % 3 == 0) {
                values[n] = 10 * rank + to + round;
                MPI_Issend(&values[n], 1, MPI_INT, to, round, MPI_COMM_WORLD, &sends[n]);
                n++;
            }
        for (int done = 0, sent = 0, in_barrier = 0; !done;) {
            MPI_Status status;
            int found;
            MPI_Iprobe(MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &found, &status);
            if (found) {
                int value;
                MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                sum += value;
                messages++;
            }
            if (in_barrier) {
                MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
            } else {
                MPI_Testall(n, sends, &sent, MPI_STATUSES_IGNORE);
                if (sent) {
                    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
                    in_barrier = 1;
                }
            }
        }
    }
    MPI_Reduce(&sum, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    printf("rank %d got %d messages\n", rank, messages);
    if (rank == 0)
        printf("sum %d\n", total);
    MPI_Finalize();
    return 0;
}
