// Rank 0 polls for messages that come slowly, in two ways; rank 1 asks for the time until the next one is due. Each rank prints how
// many MPI calls it has made.
#include <mpi.h>
#include <stdio.h>

enum { MESSAGES = 40 };

int main(int argc, char **argv)
{
    int rank;
    long calls = 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < MESSAGES; i++) {
        int number = i, flag = 0;
        if (rank == 0 && i % 2 == 0) {
            for (; !flag; calls++)
                MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            MPI_Recv(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 0) {
            MPI_Request request;
            MPI_Irecv(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
            for (; !flag; calls++)
                MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        } else {
            double due = MPI_Wtime() + 0.005;
            calls++;
            do {
                calls++;
            } while (MPI_Wtime() < due);
            MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
        calls++;
    }
    MPI_Finalize();
    printf("calls %ld\n", calls + 1);
    return 0;
}
