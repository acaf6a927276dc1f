// A window of a session; its epochs name the partner by a group.
//
// What is wrong: rank 0 makes the group from MPI_COMM_WORLD, and the window is made from a communicator of the session.
// The fix: MPI_Win_get_group, or the group of the process set, which rank 1 uses.
//
// ranks: 2
// mpi: mpich openmpi-5.0 (Open MPI 4.1 implements MPI 3.1)
// expect: session-mix ranks 0

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Group all, members, partner;
    MPI_Comm comm;
    MPI_Win window;
    int rank, memory = -1;
    MPI_Init(&argc, &argv);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Comm_create_from_group(all, "org.example.window", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, comm, &window);

    int other = 1 - rank;
    if (rank == 0) {
        MPI_Comm_group(MPI_COMM_WORLD, &members);
        MPI_Group_incl(members, 1, &other, &partner);
        MPI_Win_start(partner, 0, window); //~ session-mix
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
    } else {
        MPI_Win_get_group(window, &members);
        MPI_Group_incl(members, 1, &other, &partner);
        MPI_Win_post(partner, 0, window);
        MPI_Win_wait(window);
    }

    MPI_Win_free(&window);
    MPI_Group_free(&partner);
    MPI_Group_free(&members);
    MPI_Group_free(&all);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    MPI_Finalize();
    return 0;
}
