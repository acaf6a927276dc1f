// Five persistent requests share one buffer, and one of them at a time is active.
//
// Correct: an inactive request does not own its buffer, which may be written, sent and received into until the next
// MPI_Start (MPI 4.1, 3.9).
//
// ranks: 2

#include <mpi.h>

enum { N = 3000, ROUNDS = 4 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, other, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    static double data[N];
    MPI_Request send, send_synchronously, send_half, receive, receive_half;
    MPI_Send_init(data, N, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &send);
    MPI_Ssend_init(data, N, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &send_synchronously);
    MPI_Send_init(data + N / 2, N / 2, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &send_half);
    MPI_Recv_init(data, N, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &receive);
    MPI_Recv_init(data, N / 2, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &receive_half);

    for (int round = 0; round < ROUNDS; round++) {
        if (round % 2 == rank) {
            MPI_Request *one = round < 2 ? &send : &send_synchronously;
            for (int i = 0; i < N; i++)
                data[i] = i + round;
            MPI_Start(one);
            MPI_Wait(one, MPI_STATUS_IGNORE);
            for (int i = 0; i < N; i++) /* between MPI_Wait and MPI_Start */
                data[i] *= 2;
            MPI_Start(&send_half);
            MPI_Wait(&send_half, MPI_STATUS_IGNORE);
        } else {
            MPI_Start(&receive);
            MPI_Wait(&receive, MPI_STATUS_IGNORE);
            for (int i = 0; i < N; i++)
                wrong += data[i] != i + round;
            MPI_Start(&receive_half);
            MPI_Wait(&receive_half, MPI_STATUS_IGNORE);
            for (int i = 0; i < N / 2; i++)
                wrong += data[i] != 2 * (i + N / 2 + round);
            data[N - 1] = -1;
        }
        /* the same memory by other operations */
        MPI_Bcast(data, N, MPI_DOUBLE, round % 2, MPI_COMM_WORLD);
    }
    MPI_Request *all[] = {&send, &send_synchronously, &send_half, &receive, &receive_half};
    for (int i = 0; i < 5; i++)
        MPI_Request_free(all[i]);
    MPI_Finalize();
    return wrong != 0;
}
