// A cache of communicators, filled by two users: one has a session, the other MPI_COMM_WORLD.
//
// What is wrong: the cache compares what it is asked for with all that it has.
// One rank alone: Open MPI 5 ends the program there, which would end others before they make the call.
//
// ranks: 1
// mpi: mpich openmpi-5.0 (Open MPI 4.1 implements MPI 3.1)
// expect: session-mix ranks 0

#include <mpi.h>

static MPI_Comm kept[2];
static int number;

static void look_up(MPI_Comm comm)
{
    for (int i = 0; i < number; i++) {
        int result;
        MPI_Comm_compare(kept[i], comm, &result); //~ session-mix
        if (result == MPI_IDENT)
            return;
    }
    kept[number++] = comm;
}

int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Group all;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Comm_create_from_group(all, "org.example.cache", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&all);

    look_up(comm);
    look_up(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    MPI_Finalize();
    return 0;
}
