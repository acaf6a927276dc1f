// The stack gets full, by argument: of the main thread ("main"), of another one ("thread"), or of the main thread while the
// program has a handler on a stack of its own, which ends the process ("handled") or jumps out ("recovers").

#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile int depth;

static int __attribute__((noinline)) down(volatile char *above)
{
    volatile char here[2000];
    here[0] = above ? above[0] + 1 : 0;
    depth++;
    return depth > 0 ? down(here) + here[0] : 0; // here
}

static void end(int signal)
{
    (void)signal;
    _exit(write(STDOUT_FILENO, "the stack is full\n", 18) == 18 ? 9 : 1);
}

static void jump(int signal)
{
    (void)signal;
    siglongjmp(back, 1);
}

static void on(void (*handler)(int))
{
    stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &action, NULL);
}

static void *work(void *unused)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return (void *)(long)(down(unused) + rank);
}

int main(int argc, char **argv)
{
    int size, provided;
    pthread_t thread;
    const char *how = argc > 1 ? argv[1] : "";
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    for (int i = 0; i < 1000; i++)
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(how, "thread")) {
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
    }
    if (!strcmp(how, "handled"))
        on(end);
    if (!strcmp(how, "recovers")) {
        on(jump);
        if (sigsetjmp(back, 1)) {
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            printf("%s\n", depth > 100 ? "recovered" : "too early");
            MPI_Finalize();
            return 0;
        }
    }
    return down(NULL);
}
