// Programs that go on after a signal, by argument:
//   crash      handler set after MPI_Init on a stack of its own, jumps out of crashes of the program
//   early      the same with a handler that was set before MPI_Init
//   inside     crashes in an MPI call, because of its arguments
//   timer      jumps out of whatever a timer has interrupted: the program's own code, an MPI call
//   often      the same so often that it jumps out of everything, also out of what looks at an earlier jump
//   deeper     the same, and goes on further in on the stack each time, until it ends the process there
//   again      the same, goes on at the same place of the stack, and ends the process there
//   leaves     ends the process right after it has jumped, without another call
//   waits      jumps out of an MPI_Recv that waits in vain
//   writes     a handler that interrupts MPI calls and writes
//   calls      a handler that interrupts MPI calls and calls MPI itself, to end the job
//   dumps      a handler that interrupts mpivet_dump and calls MPI

#define _GNU_SOURCE
#include <mpivet.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile sig_atomic_t armed, got;
static int *volatile nowhere;

static void jump(int signal)
{
    if (signal == SIGSEGV || armed) {
        armed = 0;
        siglongjmp(back, 1);
    }
}

static void note(int signal)
{
    (void)signal;
    got++;
    if (write(STDERR_FILENO, "", 0))
        _exit(5);
}

static void end(int signal)
{
    (void)signal;
    MPI_Abort(MPI_COMM_WORLD, 6);
}

static void ask(int signal)
{
    int rank;
    (void)signal;
    got++;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static void on(int signal, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaction(signal, &action, NULL);
}

static void own_stack(void)
{
    stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    sigaltstack(&stack, NULL);
}

// To this thread alone: libraries have threads of their own.
static void every(long microseconds)
{
    static timer_t timer;
    static int made;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
    struct itimerspec times = {{0, microseconds * 1000}, {0, microseconds * 1000}};
    event._sigev_un._tid = gettid();
    if (!made++)
        timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &times, NULL);
}

static int exchange(int value)
{
    int in = -1;
    MPI_Sendrecv(&value, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    return in;
}

static void crashes(void)
{
    volatile int jumps = 0, wrong = 0;
    for (volatile int i = 0; i < 300; i++) {
        if (sigsetjmp(back, 1))
            jumps++;
        else
            *nowhere = 1;
        wrong += exchange(i) != i;
    }
    printf("%d jumps, %d wrong\n", jumps, wrong);
}

static void inside(void)
{
    volatile int jumps = 0;
    char *bad = sysconf(_SC_PAGESIZE) + (char *)0;
    for (volatile int i = 0; i < 20; i++) {
        int position = 0, in[64];
        if (sigsetjmp(back, 1))
            jumps++;
        else if (i % 2)
            MPI_Waitall(2, (MPI_Request *)bad, MPI_STATUSES_IGNORE);
        else
            MPI_Pack(bad, 64, MPI_INT, in, sizeof in, &position, MPI_COMM_SELF);
    }
    printf("%d jumps\n", jumps);
}

static void three_calls(void)
{
    int size, flag, rank;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Initialized(&flag);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static void timer(long microseconds, long before)
{
    volatile long calls = 0;
    volatile int jumps = 0;
    on(SIGALRM, jump);
    while (jumps < 1000) {
        if (sigsetjmp(back, 1)) {
            jumps++;
            continue;
        }
        // Calls from another place would be looked at anew.
        for (;; calls++) {
            if (calls == before)
                every(microseconds);
            armed = calls >= before;
            three_calls();
        }
    }
    every(0);
    printf("%d jumps, %s\n", jumps, calls > 1000 ? "many calls" : "few calls");
}

static void again(int most)
{
    volatile int jumps = 0;
    int rank;
    on(SIGALRM, jump);
    every(300);
    while (jumps < most) {
        if (sigsetjmp(back, 1)) {
            jumps++;
            continue;
        }
        armed = 1;
        for (;;)
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    }
    every(0);
    printf("%d jumps\n", jumps);
    if (most > 1)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    exit(0);
}

// Not a tail call: each level has its part of the stack.
static int level(int jumps)
{
    volatile int rank = 1;
    if (jumps == 200) {
        every(0);
        for (int i = 0; i < 1000; i++)
            MPI_Comm_rank(MPI_COMM_WORLD, (int *)&rank);
        printf("%d jumps, rank %d\n", jumps, rank);
        if (!rank)
            exit(0);
        return 0;
    }
    if (!sigsetjmp(back, 1)) {
        armed = 1;
        for (;;)
            MPI_Comm_rank(MPI_COMM_WORLD, (int *)&rank);
    }
    return level(jumps + 1) + rank;
}

static void deeper(void)
{
    on(SIGALRM, jump);
    every(300);
    level(0);
}

static void waits(void)
{
    volatile int in = 0, jumps = 0, wrong = 0;
    on(SIGALRM, jump);
    for (volatile int i = 0; i < 20; i++) {
        every(50000);
        if (sigsetjmp(back, 1))
            jumps++;
        else {
            armed = 1;
            MPI_Recv((void *)&in, 1, MPI_INT, 0, 99, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        }
        every(0);
        wrong += exchange(i) != i;
    }
    printf("%d jumps, %d wrong\n", jumps, wrong);
}

static void writes(void)
{
    long wrong = 0, i;
    on(SIGALRM, note);
    every(100);
    for (i = 0; got < 2000; i++)
        wrong += exchange((int)i) != (int)i;
    every(0);
    printf("%s, %ld wrong\n", i > 1000 ? "many calls" : "few calls", wrong);
}

static void dumps(void)
{
    static char data[1 << 20];
    on(SIGALRM, ask);
    every(1000);
    int i;
    for (i = 0; i < 50 || !got; i++)
        mpivet_dump("data", data, sizeof data, MPI_BYTE);
    every(0);
    printf("%s, interrupted\n", i < 50 ? "few dumps" : "many dumps");
}

static void ends(void)
{
    on(SIGALRM, end);
    every(20000 + getpid() % 100 * 100);
    for (int i = 0;; i++)
        exchange(i);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (!strcmp(how, "early")) {
        own_stack();
        on(SIGSEGV, jump);
    }
    MPI_Init(&argc, &argv);
    if (!strcmp(how, "crash") || !strcmp(how, "inside")) {
        own_stack();
        on(SIGSEGV, jump);
    }
    if (!strcmp(how, "crash") || !strcmp(how, "early"))
        crashes();
    else if (!strcmp(how, "inside"))
        inside();
    else if (!strcmp(how, "timer"))
        timer(300, 0);
    else if (!strcmp(how, "often"))
        timer(40, 2000); // Not in the first calls, which allocate: a jump out of malloc leaves the heap locked.
    else if (!strcmp(how, "again"))
        again(200);
    else if (!strcmp(how, "leaves"))
        again(1);
    else if (!strcmp(how, "deeper"))
        deeper();
    else if (!strcmp(how, "waits"))
        waits();
    else if (!strcmp(how, "writes"))
        writes();
    else if (!strcmp(how, "dumps"))
        dumps();
    else
        ends();
    MPI_Finalize();
    return 0;
}
