// The twin of bug.c: the library is told ranks, and makes the group from its own communicator.
//
// ranks: 3
// mpi: mpich openmpi-5.0 (Open MPI 4.1 implements MPI 3.1)

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

static void library_work(int n, const int *ranks)
{
    MPI_Comm comm;
    MPI_Group all, workers;
    MPI_Comm_group(everybody, &all);
    MPI_Group_incl(all, n, ranks, &workers);
    MPI_Comm_create_group(everybody, workers, 0, &comm);
    MPI_Group_free(&workers);
    MPI_Group_free(&all);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    library_init();

    int rank, first[2] = {0, 1};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank < 2)
        library_work(2, first);

    MPI_Comm_free(&everybody);
    MPI_Session_finalize(&session);
    MPI_Finalize();
    return 0;
}
