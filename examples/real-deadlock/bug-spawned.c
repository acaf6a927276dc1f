// The one who spawned and the spawned wait for each other: both receive first.
//
// ranks: 1
// timeout: 20
// mpi: openmpi (Debian's MPICH 4.0 cannot spawn)
// expect: real-deadlock ranks 0

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm other;
    int value = 1;
    MPI_Comm_get_parent(&other);
    if (other == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other, MPI_ERRCODES_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 1, 7, other, MPI_STATUS_IGNORE); //~ real-deadlock
        MPI_Send(&value, 1, MPI_INT, 1, 7, other);
    } else {
        int rank;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (rank == 1) {
            MPI_Recv(&value, 1, MPI_INT, 0, 7, other, MPI_STATUS_IGNORE); //~ real-deadlock
            MPI_Send(&value, 1, MPI_INT, 0, 7, other);
        }
    }
    MPI_Comm_disconnect(&other);
    MPI_Finalize();
    return 0;
}
