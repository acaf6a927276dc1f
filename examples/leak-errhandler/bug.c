// A library returns errors instead of ending the program while it works, and then restores what was before.
//
// What is wrong: the handle that MPI_Comm_get_errhandler hands out is a reference of its own, and it is never freed.
// The fix: free it when the handler is restored.
//
// ranks: 2
// expect: leak-errhandler ranks 0,1

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
    MPI_Comm_get_errhandler(comm, &before); //~ leak-errhandler
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Barrier(comm);
    MPI_Comm_set_errhandler(comm, before);
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
