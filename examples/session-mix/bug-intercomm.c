// Two halves of a session's processes get an intercommunicator.
//
// What is wrong: the leaders meet on MPI_COMM_WORLD, which is not of the session. Where the other processes have it, it
// means nothing.
// The fix: a communicator of the session is the one of the peers.
//
// ranks: 4
// mpi: mpich openmpi-5.0 (Open MPI 4.1 implements MPI 3.1)
// expect: session-mix ranks 0,2

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

    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < size / 2 ? size / 2 : 0, 1, &both); //~ session-mix

    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
    MPI_Comm_free(&everybody);
    MPI_Group_free(&all);
    MPI_Session_finalize(&session);
    MPI_Finalize();
    return 0;
}
