// Errors of the MPI library, one by argument: which object's error handler is called, and what that handler is.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int value;

static void say(const char *what)
{
    printf("%s\n", what);
    fflush(stdout);
}

static void abort_comm(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    say("the program's handler ends the job");
    MPI_Abort(*comm, 7);
}

static void exit_comm(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    say("the program's handler exits");
    exit(9);
}

static void keep_comm(MPI_Comm *comm, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING];
    int length, size;
    MPI_Comm_size(*comm, &size);
    MPI_Error_string(*code, text, &length);
    printf("the program's handler: %d processes, %.20s\n", size, text);
    fflush(stdout);
}

static void bad_send(MPI_Comm comm)
{
    int code = MPI_Send(&value, 1, MPI_INT, 99, 0, comm);
    say(code == MPI_SUCCESS ? "success" : "returned");
}

static void with_handler(MPI_Comm_errhandler_function *function)
{
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(function, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    bad_send(MPI_COMM_WORLD);
}

// Sets and frees the handlers that MPI_Win_get_errhandler and MPI_File_get_errhandler give.
static void on_window(const char *how)
{
    int memory[4] = {0}, rank;
    MPI_Win window;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Errhandler handler;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_get_errhandler(window, &handler);
    say(handler == MPI_ERRORS_ARE_FATAL ? "fatal" : "not fatal");
    MPI_Win_set_errhandler(window, !strcmp(how, "win-return") ? MPI_ERRORS_RETURN : handler);
    MPI_Errhandler_free(&handler);
    // Launchers may lose all output of two ranks that end the job at once.
    if (!strcmp(how, "win-call") && rank == 0)
        MPI_Win_call_errhandler(window, MPI_ERR_OTHER);
    MPI_Win_fence(0, window);
    int code = MPI_Put(&value, 1, MPI_INT, rank == 0 ? 99 : MPI_PROC_NULL, 0, 1, MPI_INT, window);
    say(code == MPI_SUCCESS ? "success" : "returned");
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void on_file(const char *how, const char *name)
{
    MPI_File file;
    MPI_Errhandler handler;
    int code = MPI_File_open(MPI_COMM_SELF, "/nowhere/at all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    say(code == MPI_SUCCESS ? "success" : "returned");
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    if (strcmp(how, "file-return"))
        MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    MPI_File_get_errhandler(file, &handler);
    say(handler == MPI_ERRORS_ARE_FATAL ? "fatal" : "not fatal");
    if (!strcmp(how, "file-call"))
        MPI_File_call_errhandler(file, MPI_ERR_OTHER);
    code = MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "no representation", MPI_INFO_NULL);
    say(code == MPI_SUCCESS ? "success" : "returned");
    MPI_File_close(&file);
}

static void in_status(void)
{
    MPI_Request requests[3];
    int small[3][4], large[8] = {0};
    for (int i = 0; i < 3; i++)
        MPI_Irecv(small[i], 4, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]);
    for (int i = 0; i < 3; i++)
        MPI_Send(large, i == 1 ? 8 : 4, MPI_INT, 0, i, MPI_COMM_SELF);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

static void private_class(void)
{
    int class, code;
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "the matrix is singular");
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, code);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (!strncmp(how, "win", 3))
        on_window(how);
    else if (!strncmp(how, "file", 4))
        on_file(how, argv[0]);
    else if (!strcmp(how, "comm"))
        bad_send(copy);
    else if (!strcmp(how, "self"))
        bad_send(MPI_COMM_SELF);
    else if (!strcmp(how, "call"))
        MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_RANK);
    else if (!strcmp(how, "private"))
        private_class();
    else if (!strcmp(how, "in-status"))
        in_status();
    else if (!strcmp(how, "own-abort"))
        with_handler(abort_comm);
    else if (!strcmp(how, "own-exit"))
        with_handler(exit_comm);
    else if (!strcmp(how, "own-keep"))
        with_handler(keep_comm);
    MPI_Comm_free(&copy);
    MPI_Finalize();
    say("end");
    return 0;
}
