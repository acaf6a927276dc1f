// Signals that the program wants: a fault that its handler mends, an arithmetic trap that it leaves by a jump, requests
// to end that it takes as messages, a child that is killed.
//
// Correct: nobody dies of these signals, and the handlers do not call MPI (MPI 4.1, 2.9.2).
//
// ranks: 2

#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static char *sheet;
static size_t page;
static sigjmp_buf back;
static volatile sig_atomic_t faults, asked, traps;

static void map_page(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)context;
    if ((char *)info->si_addr < sheet || (char *)info->si_addr >= sheet + page)
        _exit(1);
    mprotect(sheet, page, PROT_READ | PROT_WRITE);
    faults++;
}

static void jump(int signal)
{
    (void)signal;
    traps++;
    siglongjmp(back, 1);
}

static void remember(int signal)
{
    (void)signal;
    asked++;
}

int main(int argc, char **argv)
{
    struct sigaction on_fault = {.sa_sigaction = map_page, .sa_flags = SA_SIGINFO}, on_trap = {.sa_handler = jump};
    sigaction(SIGFPE, &on_trap, NULL); /* before MPI_Init */
    MPI_Init(&argc, &argv);
    struct sigaction on_end = {.sa_handler = remember};
    sigaction(SIGSEGV, &on_fault, NULL); /* and behind it */
    sigaction(SIGTERM, &on_end, NULL);
    sigaction(SIGINT, &on_end, NULL);
    int rank, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    page = (size_t)sysconf(_SC_PAGESIZE);
    sheet = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sheet[0] = (char)('a' + rank);
    MPI_Sendrecv(sheet, 1, MPI_CHAR, 1 - rank, 0, sheet + 1, 1, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    wrong += faults != 1 || sheet[1] != 'b' - rank;
    if (sigsetjmp(back, 1) == 0)
        raise(SIGFPE);
    wrong += traps != 1;
    MPI_Barrier(MPI_COMM_WORLD);
    raise(SIGTERM);
    kill(getpid(), SIGINT);
    MPI_Barrier(MPI_COMM_WORLD);
    wrong += asked != 2;

    pid_t child = fork();
    if (child == 0) {
        raise(SIGKILL);
        _exit(0);
    }
    int how = 0;
    waitpid(child, &how, 0);
    wrong += !WIFSIGNALED(how);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return wrong != 0;
}
