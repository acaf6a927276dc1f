// Stacks that change inside of MPI calls, as user-level threads in the library would do it; here the operation of a reduction
// does. By argument: "ends": what the other stack calls ends first; "crosses": it ends last; "moves": the call returns on another
// thread; "back": an error handler jumps out of its call, and the program goes on deeper in the same stack.
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { LENGTH = 1 << 18 };

static ucontext_t main_stack, fiber, other_thread;
static MPI_Op outer, inner;
static int inside;
static jmp_buf back;

static void fill(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *len; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void to_fiber(void *in, void *inout, int *len, MPI_Datatype *type)
{
    fill(in, inout, len, type);
    swapcontext(&main_stack, &fiber);
}

static void to_main(void *in, void *inout, int *len, MPI_Datatype *type)
{
    fill(in, inout, len, type);
    swapcontext(&fiber, &main_stack);
}

static int reduce(MPI_Op op, int in)
{
    int inout = 2;
    MPI_Reduce_local(&in, &inout, 1, MPI_INT, op);
    return inout;
}

static int rank(void)
{
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static void only_asks(void) { inside = rank() + 40; }

static void reduces(void) { inside = reduce(inner, 50) + rank(); }

static void start(void (*body)(void), ucontext_t *end)
{
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = malloc(LENGTH);
    fiber.uc_stack.ss_size = LENGTH;
    fiber.uc_link = end;
    makecontext(&fiber, body, 0);
}

static void *goes_on(void *nothing)
{
    swapcontext(&other_thread, &fiber);
    return nothing;
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    longjmp(back, 1);
}

static int __attribute__((noinline)) deeper(int levels)
{
    volatile char room[1000];
    room[0] = (char)levels;
    return (levels ? deeper(levels - 1) : rank()) + room[0] - levels;
}

static int jumps(void)
{
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    if (!setjmp(back))
        MPI_Send(NULL, 0, MPI_INT, 77, 1, MPI_COMM_WORLD);
    return deeper(20);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int result = -1;
    MPI_Init(&argc, &argv);
    MPI_Op_create(to_fiber, 1, &outer);
    MPI_Op_create(to_main, 1, &inner);
    if (!strcmp(how, "ends")) {
        start(only_asks, &main_stack);
        result = reduce(outer, 5);
    } else if (!strcmp(how, "crosses")) {
        start(reduces, &main_stack);
        result = reduce(outer, 5);
        swapcontext(&main_stack, &fiber);
    } else if (!strcmp(how, "moves")) {
        pthread_t thread;
        start(reduces, &other_thread);
        swapcontext(&main_stack, &fiber);
        pthread_create(&thread, NULL, goes_on, NULL);
        pthread_join(thread, NULL);
    } else if (!strcmp(how, "back")) {
        result = jumps();
    }
    printf("%d and %d, rank %d\n", result, inside, rank());
    MPI_Op_free(&outer);
    MPI_Op_free(&inner);
    MPI_Finalize();
    return 0;
}
