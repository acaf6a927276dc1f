// MPI calls far down, by argument: "stack": 100,000 calls deep; "errors": error handlers that make the next error; "ops":
// operations that reduce by an operation.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int levels;

static int exchange(int value)
{
    int in = -1;
    MPI_Sendrecv(&value, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    return in == value;
}

static int __attribute__((noinline)) down(int left)
{
    int right = left % 1000 == 0 ? exchange(left) : 0;
    return left == 0 ? right : right + down(left - 1);
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    if (++levels < 300)
        MPI_Send(NULL, 0, MPI_INT, 77, 1, *comm);
    else
        levels += exchange(levels);
}

static MPI_Op op;

static void reduce(void *in, void *inout, int *len, MPI_Datatype *type)
{
    int deeper[2] = {1, 2};
    ((int *)inout)[0] += ((int *)in)[0] * *len;
    if (++levels < 300)
        MPI_Reduce_local(deeper, deeper + 1, 1, *type, op);
    else
        levels += exchange(levels);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int in = 1, out = 2;
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    if (!strcmp(how, "stack"))
        printf("%d right\n", down(100000));
    else if (!strcmp(how, "errors")) {
        MPI_Comm_create_errhandler(on_error, &handler);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
        MPI_Send(NULL, 0, MPI_INT, 77, 1, MPI_COMM_WORLD);
        MPI_Errhandler_free(&handler);
        printf("%d levels\n", levels);
    } else {
        MPI_Op_create(reduce, 1, &op);
        MPI_Reduce_local(&in, &out, 1, MPI_INT, op);
        MPI_Op_free(&op);
        printf("%d levels, %d\n", levels, out);
    }
    MPI_Finalize();
    return 0;
}
