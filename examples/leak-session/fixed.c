// A library with a session of its own, in a program that calls MPI_Init.
//
// Correct: the session is finalized, after MPI_Finalize.
//
// ranks: 1
// mpi: !openmpi (the sessions model is not in Open MPI 4)

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Session session;
    int sets;
    MPI_Init(&argc, &argv);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    MPI_Session_finalize(&session);
    return 0;
}
