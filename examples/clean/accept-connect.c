// Two halves of MPI_COMM_WORLD meet by MPI_Comm_accept and MPI_Comm_connect, several times at one port.
//
// Correct: both halves make the calls in the same number; the name of the port travels in a message.
//
// ranks: 4
// mpi: openmpi (MPI_Open_port fails in Debian's MPICH 4.0)

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int world_rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    int client = world_rank >= 2;
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, client, world_rank, &half);
    if (world_rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);

    int rank;
    MPI_Comm_rank(half, &rank);
    for (int round = 0; round < 3; round++) {
        MPI_Comm between;
        if (client)
            MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &between);
        else
            MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &between);
        int value = client ? -1 : round;
        if (client)
            MPI_Recv(&value, 1, MPI_INT, 1 - rank, round, between, MPI_STATUS_IGNORE);
        else
            MPI_Send(&value, 1, MPI_INT, 1 - rank, round, between);
        if (value != round)
            printf("rank %d: got %d in round %d\n", world_rank, value, round);
        MPI_Barrier(between);
        MPI_Comm_disconnect(&between);
    }

    if (world_rank == 0)
        MPI_Close_port(port);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
