// Spawns two processes of itself in the directory that the argument names; one message to them stays unreceived.

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm other;
    MPI_Comm_get_parent(&other);
    if (other == MPI_COMM_NULL) {
        int value = 1;
        MPI_Info info;
        MPI_Info_create(&info);
        MPI_Info_set(info, "wdir", argv[1]);
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, info, 0, MPI_COMM_SELF, &other, MPI_ERRCODES_IGNORE);
        MPI_Info_free(&info);
        MPI_Send(&value, 1, MPI_INT, 1, 0, other);
    }
    MPI_Barrier(other);
    MPI_Finalize();
    return 0;
}
