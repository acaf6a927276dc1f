// Everything that is to be given back is, in unusual ways: by a callback inside MPI_Finalize, as often as a shared handle
// was handed out, by disconnecting, through a copy of the handle. What need not be freed is not: predefined objects that
// functions hand out, datatypes without a name, handles that are null.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct library {
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Group group;
};

static int close_library(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    struct library *library = value;
    MPI_Comm_free(&library->comm);
    MPI_Type_free(&library->type);
    MPI_Op_free(&library->op);
    MPI_Group_free(&library->group);
    free(library);
    return MPI_SUCCESS;
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < 2 * *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void open_library(void)
{
    struct library *library = malloc(sizeof *library);
    int key;
    MPI_Comm_dup(MPI_COMM_WORLD, &library->comm);
    MPI_Type_contiguous(2, MPI_INT, &library->type);
    MPI_Type_commit(&library->type);
    MPI_Op_create(add, 1, &library->op);
    MPI_Comm_group(MPI_COMM_SELF, &library->group);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, close_library, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, library);
    MPI_Comm_free_keyval(&key);
    int pair[2] = {1, 2}, sum[2];
    MPI_Allreduce(pair, sum, 1, library->type, library->op, library->comm);
    printf("%d %d\n", sum[0], sum[1]);
}

static void groups(int rank)
{
    // Libraries may hand out the same handle for each of these.
    MPI_Group all[3], none, other;
    for (int i = 0; i < 3; i++)
        MPI_Comm_group(MPI_COMM_WORLD, &all[i]);
    MPI_Group_difference(all[0], all[1], &none);
    MPI_Group_incl(all[2], 1, &rank, &other);
    MPI_Comm alone;
    MPI_Comm_create(MPI_COMM_WORLD, other, &alone);
    MPI_Comm_disconnect(&alone);
    MPI_Group_free(&other);
    if (none != MPI_GROUP_EMPTY)
        MPI_Group_free(&none);
    for (int i = 0; i < 3; i++)
        MPI_Group_free(&all[i]);
}

static void handlers(void)
{
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_File_get_errhandler(MPI_FILE_NULL, &handler);
}

static void types(void)
{
    MPI_Datatype real, match, outer, copy, parts[1];
    int ints[1];
    MPI_Aint addresses[1];
    MPI_Type_create_f90_real(6, 30, &real);
    MPI_Type_create_f90_real(6, 30, &real);
    MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 4, &match);
    MPI_Type_contiguous(2, real, &outer);
    MPI_Type_get_contents(outer, 1, 1, 1, ints, addresses, parts); // hands out `real`, which is predefined
    copy = outer;
    MPI_Type_free(&copy);
}

int main(int argc, char **argv)
{
    MPI_Comm comm, parent;
    MPI_Info info;
    MPI_Message message;
    int rank, number = 7, flag = 0, size = 1000;
    void *buffer = malloc(size);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    open_library();
    groups(rank);
    handlers();
    types();
    MPI_Comm_get_parent(&parent);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &comm);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
    MPI_Comm_get_info(MPI_COMM_WORLD, &info);
    MPI_Info_free(&info);
    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Buffer_attach(buffer, size);
    MPI_Bsend(&number, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
    while (!flag)
        MPI_Improbe(rank, 0, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Request request;
    MPI_Imrecv(&number, 1, MPI_INT, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&buffer, &size);
    free(buffer);
    MPI_Finalize();
    return 0;
}
