// Calls its error handler with a code that no library knows, and with one of its own.

#include <mpi.h>
#include <stdio.h>

static int called, last;

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    called++;
    last = *code;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Errhandler own;
    int class, code;
    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, 123456);
    printf("called %d times, %d\n", called, last);
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "of my own");
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, code);
    printf("called %d times, its own code: %d\n", called, last == code);
    MPI_Errhandler_free(&own);
    MPI_Finalize();
    return 0;
}
