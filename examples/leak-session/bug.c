// A library with a session of its own, in a program that calls MPI_Init.
//
// What is wrong: nobody finalizes the library's session.
// The fix: finalize it when the library is done.
//
// ranks: 1
// mpi: !openmpi (the sessions model is not in Open MPI 4)
// expect: leak-session ranks 0

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Session session;
    int sets;
    MPI_Init(&argc, &argv);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session); //~ leak-session
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
