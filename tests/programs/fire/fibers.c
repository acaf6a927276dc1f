// Several stacks on one thread (ucontext): the same call at the same stack pointer, first far down on a long stack, then near
// the end of one that is shorter, behind which there is no memory any more.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { LENGTH = 1 << 18, DEEP = 6 };

static ucontext_t out, fiber;
static int levels, calls;
static uintptr_t places[DEEP + 1];

static void __attribute__((noinline)) down(int left)
{
    volatile char room[4000];
    room[0] = (char)left;
    places[left] = (uintptr_t)&room[0];
    if (left == 0) {
        int rank = -1;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        calls += rank == 0;
    } else {
        down(left - 1);
    }
    room[1] = 1;
}

static void body(void) { down(levels); }

static void run(char *stack, size_t length, int deep)
{
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = stack;
    fiber.uc_stack.ss_size = length;
    fiber.uc_link = &out;
    levels = deep;
    makecontext(&fiber, body, 0);
    swapcontext(&out, &fiber);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    char *stack = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 3; i++)
        run(stack, LENGTH, DEEP);
    uintptr_t there = places[0], shorter = LENGTH - DEEP * (places[1] - places[0]);
    uintptr_t end = ((uintptr_t)stack + shorter + 4095) & ~(uintptr_t)4095;
    munmap((void *)end, (uintptr_t)stack + LENGTH - end);
    for (int i = 0; i < 3; i++)
        run(stack, shorter, 0);
    printf("%d calls, %s\n", calls, places[0] == there ? "at the same place" : "elsewhere");
    MPI_Finalize();
    return 0;
}
