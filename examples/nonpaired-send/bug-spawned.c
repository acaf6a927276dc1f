// Every spawned process sends its result, but the one who spawned them receives only the first one.
//
// ranks: 1
// mpi: openmpi (Debian's MPICH 4.0 cannot spawn)
// allow: leak-communicator (MPI_Comm_disconnect would wait for the message)
// expect: nonpaired-send

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm other;
    int rank, result = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&other);
    if (other == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other, MPI_ERRCODES_IGNORE);
        MPI_Recv(&result, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, rank, other); //~ nonpaired-send
    }
    MPI_Barrier(other);
    MPI_Finalize();
    return 0;
}
