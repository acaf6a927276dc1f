// Handles 100,000 faults; the handler of the last one ends the program, by argument.

#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const char *how;
static volatile sig_atomic_t got;
static volatile int *nowhere;
static sigjmp_buf again;

static void handler(int which)
{
    if (++got < 100000)
        siglongjmp(again, 1);
    if (!strcmp(how, "goes on"))
        siglongjmp(again, 1);
    if (!strcmp(how, "exit"))
        exit(9);
    if (!strcmp(how, "abort"))
        MPI_Abort(MPI_COMM_WORLD, 9);
    signal(which, SIG_DFL);
}

int main(int argc, char **argv)
{
    how = argv[1];
    signal(SIGSEGV, handler);
    MPI_Init(&argc, &argv);
    sigsetjmp(again, 1);
    if (got < 100000)
        *nowhere = 1; // here
    MPI_Finalize();
    return 0;
}
