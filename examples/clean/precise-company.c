// A program with handlers, masks, children, threads and files of its own, under --precise.
//
// Correct: buffers of pending operations are left alone. What lies beside them on their first and last pages, other elements of a
// vector, memory that was given back and is used anew: all that is the program's.
//
// ranks: 2
// options: --precise

#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, BYTES = 64 * PAGE };

static sigjmp_buf back;
static volatile int faults, ticks;
static char *memory;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info, (void)context;
    faults++;
    siglongjmp(back, 1);
}

static void on_tick(int signal)
{
    (void)signal;
    ticks++;
    memory[BYTES] += 1;
}

static void *beside(void *unused)
{
    for (int i = 0; i < 1000; i++)
        memory[i % 100] += 1, memory[BYTES + 200 + i % 100] += 1;
    return unused;
}

int main(int argc, char **argv)
{
    MPI_Request requests[3];
    pthread_t thread;
    int rank, level, status;
    volatile long sum = 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (posix_memalign((void **)&memory, PAGE, BYTES + PAGE))
        return 1;
    memset(memory, 1, BYTES + PAGE);
    char *out = malloc(BYTES), *column = malloc(BYTES);
    memset(out, rank + 1, BYTES);
    memset(column, 2, BYTES);

    // Handlers and masks of its own.
    struct sigaction fault, tick, before;
    memset(&fault, 0, sizeof fault);
    memset(&tick, 0, sizeof tick);
    fault.sa_sigaction = on_fault;
    fault.sa_flags = SA_SIGINFO;
    tick.sa_handler = on_tick;
    sigfillset(&tick.sa_mask);
    sigaction(SIGSEGV, &fault, NULL);
    sigaction(SIGUSR1, &tick, NULL);
    sigaction(SIGSEGV, NULL, &before);
    sigset_t all, old;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old);
    sigset_t now;
    sigprocmask(SIG_SETMASK, &old, &now);
    sum += before.sa_sigaction == on_fault && sigismember(&now, SIGSEGV) == 1 && sigismember(&old, SIGSEGV) == 0;

    // Bytes 100 to the last but one page: the program has those around. Every second page of a column is sent.
    MPI_Datatype pages;
    MPI_Type_vector(BYTES / PAGE / 2, PAGE, 2 * PAGE, MPI_CHAR, &pages);
    MPI_Type_commit(&pages);
    MPI_Irecv(memory + 100, BYTES - 100, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, BYTES - 100, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(column, 1, pages, 1 - rank, 1, MPI_COMM_WORLD, &requests[2]);
    memory[0] = memory[99] = memory[BYTES] = 3;
    for (int page = 1; page < BYTES / PAGE; page += 2)
        column[page * PAGE + rank] = 5;
    pthread_create(&thread, NULL, beside, NULL);
    pthread_join(thread, NULL);
    raise(SIGUSR1);
    if (sigsetjmp(back, 1) == 0)
        *(volatile int *)8 = 1;
    for (int i = 0; i < BYTES; i += 512)
        sum += out[i];

    // A child has the memory for itself.
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        memset(memory, 9, BYTES);
        memset(out, 9, BYTES);
        _exit(memory[200] == 9 && out[200] == 9 ? 4 : 5);
    }
    waitpid(child, &status, 0);
    sum += WEXITSTATUS(status);

    char *in = malloc(BYTES);
    MPI_Recv(in, BYTES / 2, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    sum += memory[100] * 10 + in[0] + in[BYTES / 2 - 1];
    free(in);

    // Memory that comes and goes.
    for (int i = 0; i < 10; i++) {
        char *mapped = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        MPI_Irecv(mapped, BYTES, MPI_CHAR, 1 - rank, 2, MPI_COMM_WORLD, &requests[0]);
        MPI_Send(out, BYTES, MPI_CHAR, 1 - rank, 2, MPI_COMM_WORLD);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        sum += mapped[BYTES - 1];
        munmap(mapped, BYTES);
    }
    int ends[2];
    sum += pipe(ends) == 0 && write(ends[1], out, PAGE) == PAGE && read(ends[0], memory, PAGE) == PAGE;
    printf("rank %d: %ld, %d faults, %d ticks\n", rank, sum, faults, ticks);
    MPI_Type_free(&pages);
    free(column);
    free(out);
    free(memory);
    MPI_Finalize();
    return 0;
}
