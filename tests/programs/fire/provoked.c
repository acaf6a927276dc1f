// An error of mpivet's own in the middle of the run (MPIVET_PROVOKE): the program sees its own error handlers, as before.
#include "../../../include/mpivet.h"
#include <mpi.h>
#include <stdio.h>

static void look(const char *when)
{
    MPI_Errhandler world, self;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &world);
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &self);
    printf("%s: %d %d\n", when, world == MPI_ERRORS_ARE_FATAL, self == MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&self);
    MPI_Errhandler_free(&world);
}

int main(int argc, char **argv)
{
    int wrong;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    look("before");
    mpivet_region_begin("mpivet's internal error");
    look("after");
    wrong = MPI_Send(NULL, 0, MPI_BYTE, 99, 0, MPI_COMM_SELF) != MPI_SUCCESS;
    printf("returned %d\n", wrong);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    wrong = MPI_Send(NULL, 0, MPI_BYTE, 99, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
    printf("returned %d\n", wrong);
    MPI_Finalize();
    return 0;
}
