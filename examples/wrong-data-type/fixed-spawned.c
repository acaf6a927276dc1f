// A spawned process answers with integers, as the one who spawned it expects.
//
// ranks: 2
// mpi: openmpi (Debian's MPICH 4.0 cannot spawn)

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm other;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&other);
    if (other == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE);
        if (rank == 1) {
            int got[2];
            MPI_Recv(got, 2, MPI_INT, 0, 3, other, MPI_STATUS_IGNORE);
        }
    } else {
        int answer[2] = {42, 43};
        MPI_Send(answer, 2, MPI_INT, 1, 3, other);
    }
    MPI_Comm_disconnect(&other);
    MPI_Finalize();
    return 0;
}
