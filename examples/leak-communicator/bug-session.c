// A library with a session of its own that duplicates a communicator for its messages.
//
// What is wrong: the duplicate is not freed before the session is finalized.
// The fix: free it there.
//
// ranks: 2
// mpi: mpich openmpi-5.0 (Open MPI 4.1 implements MPI 3.1)
// options: --full
// expect: leak-communicator ranks 0,1

#include <mpi.h>

static MPI_Session session;
static MPI_Comm users, messages;

static void library_init(void)
{
    MPI_Group all;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Comm_create_from_group(all, "org.example.library", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &users);
    MPI_Comm_dup(users, &messages); //~ leak-communicator
    MPI_Group_free(&all);
}

static void library_end(void)
{
    MPI_Barrier(messages);
    MPI_Comm_free(&users);
    MPI_Session_finalize(&session); //~ leak-communicator
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    library_init();
    library_end();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
