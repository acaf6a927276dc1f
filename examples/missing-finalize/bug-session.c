// Rank 1 leaves without finalizing its session.
//
// ranks: 3
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)
// expect: missing-finalize ranks 1

#include <mpi.h>

int main(void)
{
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group group;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm comm;
    MPI_Comm_create_from_group(group, "example", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    int rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm); //~ missing-finalize
    if (rank != 1)
        MPI_Session_finalize(&session);
    return 0;
}
