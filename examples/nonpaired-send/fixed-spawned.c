// Every spawned process sends its result, and the one who spawned them receives all.
//
// ranks: 1
// mpi: openmpi (Debian's MPICH 4.0 cannot spawn)

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
        for (int i = 0; i < 2; i++)
            MPI_Recv(&result, 1, MPI_INT, i, i, other, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, rank, other);
    }
    MPI_Comm_disconnect(&other);
    MPI_Finalize();
    return 0;
}
