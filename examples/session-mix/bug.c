// A library keeps a session of its own, and is told by its caller which processes shall work for it.
//
// What is wrong: the caller's group is made from MPI_COMM_WORLD; with a communicator of the library's session it must not meet.
// The fix: the library makes its own group from the ranks.
//
// ranks: 3
// mpi: mpich openmpi-5.0 (Open MPI 4.1 implements MPI 3.1)
// expect: session-mix ranks 0,1

#include <mpi.h>

static MPI_Session session;
static MPI_Comm everybody = MPI_COMM_NULL;

static void library_init(void)
{
    MPI_Group all;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Comm_create_from_group(all, "org.example.library", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &everybody);
    MPI_Group_free(&all);
}

static void library_work(MPI_Group workers)
{
    MPI_Comm comm;
    MPI_Comm_create_group(everybody, workers, 0, &comm); //~ session-mix
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    library_init();

    int rank, first[2] = {0, 1};
    MPI_Group world, workers;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, first, &workers);
    if (rank < 2)
        library_work(workers);
    MPI_Group_free(&workers);
    MPI_Group_free(&world);

    MPI_Comm_free(&everybody);
    MPI_Session_finalize(&session);
    MPI_Finalize();
    return 0;
}
