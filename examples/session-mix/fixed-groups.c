// The twin of bug-groups.c: both groups are of one session.
//
// ranks: 2
// mpi: mpich openmpi-5.0 (Open MPI 4.1 implements MPI 3.1)

#include <mpi.h>

int main(void)
{
    MPI_Session solver, output;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &solver);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &output);

    MPI_Group of_solver, of_output;
    MPI_Group_from_session_pset(solver, "mpi://WORLD", &of_solver);
    MPI_Group_from_session_pset(solver, "mpi://WORLD", &of_output);
    int zero = 0, place;
    MPI_Group_translate_ranks(of_solver, 1, &zero, of_output, &place);

    MPI_Group_free(&of_output);
    MPI_Group_free(&of_solver);
    MPI_Session_finalize(&output);
    MPI_Session_finalize(&solver);
    return 0;
}
