// Messages of unknown length: the receiver looks with MPI_Iprobe or MPI_Probe, asks for the length, and
// receives.
//
// Correct: between probe and receive nobody else receives; a probe with wildcards is followed by a receive
// of the source and tag that it found.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

enum { MOST = 50, PER_RANK = 10 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    if (rank == 0) {
        long numbers = 0, sum = 0;
        for (int n = 0; n < PER_RANK * (size - 1); n++) {
            MPI_Status status;
            int found = 0, count, data[MOST];
            if (n % 2)
                MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            else
                while (!found)
                    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &status);
            MPI_Get_count(&status, MPI_INT, &count);
            MPI_Recv(data, count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            numbers += count;
            for (int i = 0; i < count; i++)
                sum += data[i];
        }
        printf("%ld numbers, sum %ld\n", numbers, sum);
    } else {
        int data[MOST];
        for (int n = 0; n < PER_RANK; n++) {
            int count = 1 + (7 * n + rank) % MOST;
            for (int i = 0; i < count; i++)
                data[i] = rank * n + i;
            MPI_Send(data, count, MPI_INT, 0, n % 3, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
