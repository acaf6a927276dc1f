// Callbacks of the library end the job, or call MPI, by argument. Functions for attributes, operations, generalized
// requests and errors.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int deleted;

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    MPI_Abort(*comm, 3);
}

static int aborts(MPI_Comm comm, int key, void *value, void *state)
{
    (void)key, (void)value, (void)state;
    MPI_Abort(comm, 3);
    return MPI_SUCCESS;
}

static int calls(MPI_Comm comm, int key, void *value, void *state)
{
    int rank, in = 0, out = 4;
    MPI_Comm copy;
    (void)key, (void)value, (void)state;
    MPI_Comm_rank(comm, &rank);
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 2, &in, 1, MPI_INT, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    MPI_Comm_free(&copy);
    deleted += in == out && rank == 0;
    if (value) {
        printf("at the end: %d deleted\n", deleted);
        fflush(stdout);
    }
    return MPI_SUCCESS;
}

static void op_aborts(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)len, (void)type;
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int query_aborts(void *state, MPI_Status *status)
{
    MPI_Abort(MPI_COMM_WORLD, 3);
    return query(state, status);
}

static int no_free(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int free_aborts(void *state)
{
    MPI_Abort(MPI_COMM_WORLD, 3);
    return no_free(state);
}

static int cancel(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

static void generalized(MPI_Grequest_query_function *query, MPI_Grequest_free_function *free)
{
    MPI_Request request;
    MPI_Grequest_start(query, free, cancel, NULL, &request);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void attribute(MPI_Comm_delete_attr_function *function)
{
    int key;
    MPI_Comm comm;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, function, &key, NULL);
    for (int i = 0; i < 5; i++) {
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        MPI_Comm_set_attr(comm, key, NULL);
        MPI_Comm_free(&comm);
    }
    // Deleted by MPI_Finalize, first of all (MPI 4.1, 11.2.4).
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &deleted);
    MPI_Comm_free_keyval(&key);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int in = 1, out = 2;
    MPI_Errhandler handler;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    if (!strcmp(how, "error")) {
        MPI_Comm_create_errhandler(on_error, &handler);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
        MPI_Send(&out, 1, MPI_INT, 77, 1, MPI_COMM_WORLD);
    } else if (!strcmp(how, "delete"))
        attribute(aborts);
    else if (!strcmp(how, "calls"))
        attribute(calls);
    else if (!strcmp(how, "op")) {
        MPI_Op_create(op_aborts, 1, &op);
        MPI_Reduce_local(&in, &out, 1, MPI_INT, op);
    } else if (!strcmp(how, "query"))
        generalized(query_aborts, no_free);
    else if (!strcmp(how, "free"))
        generalized(query, free_aborts);
    MPI_Finalize();
    return 0;
}
