// Error handlers are freed while attached, and asked for and freed again; errors are raised by the program itself.
//
// Correct: MPI_Errhandler_free only marks the handler; MPI_Comm_get_errhandler makes a new reference, which is to be
// freed, also when it is a predefined one (MPI 4.1, 9.3.5); MPI_Comm_call_errhandler calls the handler (9.5).
//
// ranks: 2

#include <mpi.h>

static int calls, last_code;

static void remember(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    calls++;
    last_code = *code;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int wrong = 0, error_class, code, its_class;
    MPI_Errhandler handler, found;
    MPI_Comm comm, twin;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &found);
    wrong += found != MPI_ERRORS_ARE_FATAL;
    MPI_Errhandler_free(&found);

    MPI_Comm_create_errhandler(remember, &handler);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    wrong += handler != MPI_ERRHANDLER_NULL;
    MPI_Comm_dup(comm, &twin); /* inherits the handler that is already freed */

    MPI_Add_error_class(&error_class);
    MPI_Add_error_code(error_class, &code);
    MPI_Add_error_string(code, "an error of the program");
    MPI_Error_class(code, &its_class);
    wrong += its_class != error_class;
    MPI_Comm_call_errhandler(comm, code);
    wrong += calls != 1 || last_code != code;
    MPI_Comm_free(&comm);
    MPI_Comm_call_errhandler(twin, MPI_ERR_OTHER);
    wrong += calls != 2 || last_code != MPI_ERR_OTHER;

    MPI_Comm_get_errhandler(twin, &found);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, found);
    MPI_Errhandler_free(&found);
    MPI_Comm_call_errhandler(MPI_COMM_SELF, code);
    wrong += calls != 3;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    wrong += MPI_Comm_call_errhandler(MPI_COMM_SELF, code) != MPI_SUCCESS;
    MPI_Comm_set_errhandler(twin, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&twin);
    MPI_Finalize();
    return wrong != 0;
}
