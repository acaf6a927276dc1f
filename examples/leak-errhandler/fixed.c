// A library returns errors instead of ending the program while it works, and then restores what was before.
//
// Correct: the saved handle is freed.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

static void print_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    printf("error %d\n", *code);
}

static void work(MPI_Comm comm)
{
    MPI_Errhandler before;
    MPI_Comm_get_errhandler(comm, &before);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Barrier(comm);
    MPI_Comm_set_errhandler(comm, before);
    MPI_Errhandler_free(&before);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(print_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    for (int step = 0; step < 5; step++)
        work(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
