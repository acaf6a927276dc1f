// Errors that the program expects and handles.
//
// Correct in the sense that nothing needs mending: under MPI_ERRORS_RETURN, and with an error handler of
// its own, the program looks at the error codes and goes on. mpivet may note it, no more.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

static int handled;

static void count_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    handled++;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, class, classes[3] = {0}, value = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_Comm quiet;
    MPI_Comm_dup(MPI_COMM_WORLD, &quiet);
    MPI_Comm_set_errhandler(quiet, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Send(&value, 1, MPI_INT, size, 0, quiet), &classes[0]);

    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(count_error, &handler);
    MPI_Comm_set_errhandler(quiet, handler);
    MPI_Errhandler_free(&handler);
    MPI_Send(&value, 1, MPI_INT, size + 7, 0, quiet);
    MPI_Comm_set_errhandler(quiet, MPI_ERRORS_ARE_FATAL);

    /* files return errors unless told otherwise */
    MPI_File file;
    int code = MPI_File_open(MPI_COMM_SELF, "/nonexistent/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    MPI_Error_class(code, &class);
    classes[1] = code != MPI_SUCCESS;

    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, quiet); /* all is well */
    printf("rank %d: rank error %d, file error %d, handled %d, value %d\n", rank,
           classes[0] == MPI_ERR_RANK, classes[1], handled, value);
    MPI_Comm_free(&quiet);
    MPI_Finalize();
    return 0;
}
