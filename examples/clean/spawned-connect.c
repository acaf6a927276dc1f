// Two worlds are spawned with the same size and meet at a port that one of them has opened.
//
// Correct: the name of the port goes by way of those who spawned them; `argv` tells the two apart.
//
// ranks: 1
// mpi: openmpi (Debian's MPICH 4.0 cannot spawn)

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static MPI_Comm spawn(const char *command, char *role)
{
    char *arguments[] = {role, NULL};
    MPI_Comm children;
    MPI_Comm_spawn(command, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
    return children;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm parent, between;
    int rank, value = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm server = spawn(argv[0], "server"), client = spawn(argv[0], "client");
        MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, server, MPI_STATUS_IGNORE);
        MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, client);
        MPI_Recv(&value, 1, MPI_INT, 1, 1, client, MPI_STATUS_IGNORE);
        if (value != 17)
            printf("got %d\n", value);
        MPI_Comm_disconnect(&server);
        MPI_Comm_disconnect(&client);
    } else {
        if (strcmp(argv[1], "server") == 0) {
            if (rank == 0) {
                MPI_Open_port(MPI_INFO_NULL, port);
                MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, parent);
            }
            MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between);
            value = 17;
            if (rank == 0)
                MPI_Send(&value, 1, MPI_INT, 1, 5, between);
        } else {
            if (rank == 0)
                MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, parent, MPI_STATUS_IGNORE);
            MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between);
            if (rank == 1) {
                MPI_Recv(&value, 1, MPI_INT, 0, 5, between, MPI_STATUS_IGNORE);
                MPI_Send(&value, 1, MPI_INT, 0, 1, parent);
            }
        }
        MPI_Comm all;
        MPI_Intercomm_merge(between, strcmp(argv[1], "client") == 0, &all);
        MPI_Bcast(&value, 1, MPI_INT, 3, all);
        MPI_Comm_free(&all);
        MPI_Comm_disconnect(&between);
        if (rank == 0 && strcmp(argv[1], "server") == 0)
            MPI_Close_port(port);
        MPI_Comm_disconnect(&parent);
    }
    MPI_Finalize();
    return 0;
}
