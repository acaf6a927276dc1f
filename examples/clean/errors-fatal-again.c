// Error handlers are made and freed, and MPI_ERRORS_ARE_FATAL is set afterwards, for a communicator and for a window.
//
// Correct: what the program has freed it does not use again, whatever handle the library gives to the next object.
//
// ranks: 2

#include <mpi.h>

static void ignore(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

static void ignore_on_window(MPI_Win *win, int *code, ...)
{
    (void)win, (void)code;
}

int main(int argc, char **argv)
{
    MPI_Errhandler handlers[4], on_window;
    MPI_Comm copy;
    MPI_Win win;
    int data = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Win_create(&data, sizeof data, sizeof data, MPI_INFO_NULL, copy, &win);
    for (int i = 0; i < 4; i++)
        MPI_Comm_create_errhandler(ignore, &handlers[i]);
    MPI_Win_create_errhandler(ignore_on_window, &on_window);
    MPI_Comm_set_errhandler(copy, handlers[0]);
    for (int i = 0; i < 4; i++)
        MPI_Errhandler_free(&handlers[i]);
    MPI_Errhandler_free(&on_window);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_ARE_FATAL);
    MPI_Win_set_errhandler(win, MPI_ERRORS_ARE_FATAL);
    MPI_Barrier(copy);
    MPI_Win_free(&win);
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
