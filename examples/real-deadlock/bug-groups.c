// Two halves of the ranks meet by a name, without MPI_COMM_WORLD: the groups come from a session.
//
// What is wrong: rank 3 waits for the settings from rank 0 before it joins, and rank 0 sends them when all have joined.
// The fix: the settings are sent before.
//
// ranks: 4
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)
// expect: real-deadlock ranks 0,3

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    (void)argc, (void)argv;
    MPI_Session session;
    MPI_Group all, mine, other;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    int rank, settings = 1;
    MPI_Group_rank(all, &rank);
    MPI_Comm everybody, both;
    MPI_Comm_create_from_group(all, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &everybody);
    const int low[2] = {0, 1}, high[2] = {2, 3};
    MPI_Group_incl(all, 2, rank < 2 ? low : high, &mine);
    MPI_Group_incl(all, 2, rank < 2 ? high : low, &other);
    if (rank == 3)
        MPI_Recv(&settings, 1, MPI_INT, 0, 0, everybody, MPI_STATUS_IGNORE); //~ real-deadlock
    MPI_Intercomm_create_from_groups(mine, 0, other, 0, "halves", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &both); //~ real-deadlock
    if (rank == 0)
        MPI_Send(&settings, 1, MPI_INT, 3, 0, everybody);
    printf("rank %d has joined\n", rank);
    MPI_Comm_free(&both);
    MPI_Comm_free(&everybody);
    MPI_Group_free(&mine);
    MPI_Group_free(&other);
    MPI_Group_free(&all);
    MPI_Session_finalize(&session);
    return 0;
}
