// Partitions that are filled by messages while the operation is under way, and forwarded as soon as they have arrived.
//
// Correct: a partition of a send is the program's until it is marked ready, and one of a receive is so again when
// MPI_Parrived says that it is there (MPI 4.1, 4.2). Only the others belong to MPI.
//
// ranks: 3
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)

#include <mpi.h>
#include <stdio.h>

enum { PARTS = 4, EACH = 50, ROUNDS = 2 };

static double data[PARTS][EACH];

/* Feeds the sender and checks what the receiver passes on. */
static int outer(void)
{
    int wrong = 0;
    double back[EACH];
    for (int round = 0; round < ROUNDS; round++) {
        for (int part = 0; part < PARTS; part++) {
            for (int i = 0; i < EACH; i++)
                data[part][i] = 1000 * round + EACH * part + i;
            MPI_Send(data[part], EACH, MPI_DOUBLE, 1, part, MPI_COMM_WORLD);
        }
        for (int part = 0; part < PARTS; part++) {
            MPI_Recv(back, EACH, MPI_DOUBLE, 2, part, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < EACH; i++)
                wrong += back[i] != data[part][i];
        }
    }
    return wrong;
}

static void sender(void)
{
    MPI_Request request;
    MPI_Psend_init(data, PARTS, EACH, MPI_DOUBLE, 2, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request fill[PARTS];
        for (int part = 0; part < PARTS; part++)
            MPI_Irecv(data[part], EACH, MPI_DOUBLE, 0, part, MPI_COMM_WORLD, &fill[part]);
        MPI_Start(&request);
        for (int part = 0; part < PARTS; part++) {
            MPI_Wait(&fill[part], MPI_STATUS_IGNORE);
            MPI_Pready(part, request);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
}

static void receiver(void)
{
    MPI_Request request;
    MPI_Precv_init(data, PARTS, EACH, MPI_DOUBLE, 1, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Start(&request);
        for (int part = 0; part < PARTS; part++) {
            int arrived = 0;
            while (!arrived)
                MPI_Parrived(request, part, &arrived);
            MPI_Send(data[part], EACH, MPI_DOUBLE, 0, part, MPI_COMM_WORLD);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        wrong = outer();
    else if (rank == 1)
        sender();
    else
        receiver();
    if (rank == 0)
        printf("%d wrong\n", wrong);
    MPI_Finalize();
    return wrong != 0;
}
