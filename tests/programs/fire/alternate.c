// A signal handler on a stack of two or three pages, with nothing below it, ends the process.
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };
static int aborts;

static void handle(int number)
{
    (void)number;
    if (aborts)
        MPI_Abort(MPI_COMM_WORLD, 4);
    exit(3);
}

int main(int argc, char **argv)
{
    aborts = argc > 1 && strcmp(argv[1], "aborts") == 0;
    // The MPI library needs more for MPI_Abort than the C library for exit(3).
    size_t length = (aborts ? 3 : 2) * PAGE;
    char *memory = mmap(NULL, PAGE + length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory, PAGE, PROT_NONE);
    stack_t stack = {.ss_sp = memory + PAGE, .ss_size = length};
    sigaltstack(&stack, NULL);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
    MPI_Init(&argc, &argv);
    volatile int *volatile nowhere = NULL;
    *nowhere = 1;
    return 0;
}
