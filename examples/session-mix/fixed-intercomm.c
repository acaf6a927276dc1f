// The twin of bug-intercomm.c: the leaders meet on a communicator of the session.
//
// ranks: 4
// mpi: mpich openmpi-5.0 (Open MPI 4.1 implements MPI 3.1)

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Group all;
    MPI_Comm everybody, half, both;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Comm_create_from_group(all, "org.example.halves", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &everybody);
    MPI_Comm_rank(everybody, &rank);
    MPI_Comm_size(everybody, &size);
    MPI_Comm_split(everybody, rank < size / 2, rank, &half);

    /* what the others give means nothing */
    MPI_Comm peers = rank == 0 || rank == size / 2 ? everybody : MPI_COMM_WORLD;
    MPI_Intercomm_create(half, 0, peers, rank < size / 2 ? size / 2 : 0, 1, &both);

    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
    MPI_Comm_free(&everybody);
    MPI_Group_free(&all);
    MPI_Session_finalize(&session);
    MPI_Finalize();
    return 0;
}
