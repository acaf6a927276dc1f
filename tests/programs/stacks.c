// Makes equal MPI calls from one place, by different stacks in turns: callers whose frames are equally
// large, deeper calls, frames of changing sizes, and a jump out of several of them. Prints a line for each of them, which is
// the same for equal stacks.
#include <alloca.h>
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>

static volatile int sink;
static jmp_buf back;
static MPI_Request none = MPI_REQUEST_NULL;

__attribute__((noinline)) static void call(int line)
{
    int answer;
    MPI_Comm_test_inter(MPI_COMM_WORLD, &answer);
    MPI_Wait(&none, MPI_STATUS_IGNORE);
    sink = answer;
    printf("%d\n", line);
}

__attribute__((noinline)) static void left(int line) { call(line); sink = 1; }
__attribute__((noinline)) static void right(int line) { call(line); sink = 2; }

__attribute__((noinline)) static void deeper(int line, int depth)
{
    if (depth > 0)
        deeper(line, depth - 1);
    else
        call(line);
    sink = 3;
}

__attribute__((noinline)) static void wider(int line, int bytes)
{
    volatile char *room = alloca(bytes);
    room[0] = 1;
    call(line);
    sink = room[0];
}

__attribute__((noinline)) static void jumps(int line)
{
    call(line);
    longjmp(back, 1);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int round = 0; round < 100; round++) {
        left(__LINE__);
        right(__LINE__);
        left(__LINE__);
        deeper(1000 * (1 + round % 3) + __LINE__, round % 3);
        wider(__LINE__, 16 + round % 5 * 16);
        if (round % 7 == 0)
            right(__LINE__);
        if (setjmp(back) == 0)
            jumps(__LINE__);
    }
    MPI_Finalize();
    return 0;
}
