#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *witness;
static char path[4096];
static int rc, times;

static void open_witness(const char *prefix)
{
    char name[4096];
    snprintf(name, sizeof name, "%s.%d", prefix, (int)getpid());
    snprintf(path, sizeof path, "%s.data", prefix);
    witness = fopen(name, "w");
}

static void close_witness(int rank)
{
    fprintf(witness, "rank 0 - %d\n", rank);
    fclose(witness);
}

static void wl(const char *when, int line, const char *name)
{
    fprintf(witness, "%s %d %s", when, line, name);
}

static void wv(long long value)
{
    fprintf(witness, " %lld", value);
}

static void we(void)
{
    fputc('\n', witness);
}

static void wt(const char *when, int line, const char *name, const char *text)
{
    fprintf(witness, "%s-text %d %s ", when, line, name);
    for (; *text; text++)
        fprintf(witness, "%02x", (unsigned char)*text);
    we();
}

static void must(int error, int line)
{
    if (error != MPI_SUCCESS) {
        fprintf(stderr, "line %d: error %d\n", line, error);
        _exit(1);
    }
}

/* Callbacks of MPI. */

static void op_fn(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *len; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

#if MPI_VERSION >= 4
static void op_fn_c(void *in, void *inout, MPI_Count *len, MPI_Datatype *type)
{
    int small = (int)*len;
    op_fn(in, inout, &small, type);
}
#endif

static void comm_error_fn(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

static void win_error_fn(MPI_Win *win, int *code, ...)
{
    (void)win, (void)code;
}

static void file_error_fn(MPI_File *file, int *code, ...)
{
    (void)file, (void)code;
}

static int query_fn(void *state, MPI_Status *status)
{
    (void)state;
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int free_fn(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel_fn(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

static int extent_fn(MPI_Datatype type, MPI_Aint *extent, void *state)
{
    (void)type, (void)state;
    *extent = 4;
    return MPI_SUCCESS;
}
