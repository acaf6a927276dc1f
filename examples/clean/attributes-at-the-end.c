// A library hangs its objects on MPI_COMM_SELF and frees them when MPI_Finalize deletes the attribute; keyvals are
// freed while attributes of them are attached.
//
// Correct: MPI_Finalize begins with freeing MPI_COMM_SELF, whose delete callbacks may use MPI (MPI 4.1, 11.2.4); a
// keyval that was freed lives as long as its attributes (7.7.2). Nothing leaks.
//
// ranks: 2

#include <mpi.h>
#include <stdlib.h>

typedef struct {
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Group group;
    MPI_Info info;
    MPI_Request request;
    int number;
} Library;

static int deleted, wrong;

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static int free_library(MPI_Comm comm, int keyval, void *attribute, void *extra)
{
    (void)comm, (void)keyval, (void)extra;
    Library *library = attribute;
    int finalized = 1;
    MPI_Finalized(&finalized);
    wrong += finalized;
    MPI_Comm_free(&library->comm);
    MPI_Type_free(&library->type);
    MPI_Op_free(&library->op);
    MPI_Group_free(&library->group);
    MPI_Info_free(&library->info);
    MPI_Request_free(&library->request);
    free(library);
    return MPI_SUCCESS;
}

static int count_deletion(MPI_Datatype type, int keyval, void *attribute, void *extra)
{
    (void)type, (void)keyval, (void)attribute, (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int keyval, type_keyval, flag;
    Library *library = malloc(sizeof *library), *found;
    MPI_Comm_dup(MPI_COMM_WORLD, &library->comm);
    MPI_Type_contiguous(3, MPI_INT, &library->type);
    MPI_Op_create(add, 1, &library->op);
    MPI_Comm_group(MPI_COMM_WORLD, &library->group);
    MPI_Info_create(&library->info);
    MPI_Send_init(&library->number, 1, MPI_INT, 0, 0, library->comm, &library->request);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_library, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, library);
    MPI_Comm_get_attr(MPI_COMM_SELF, keyval, &found, &flag);
    wrong += !flag || found != library;
    MPI_Comm_free_keyval(&keyval);
    wrong += keyval != MPI_KEYVAL_INVALID;

    MPI_Datatype type, twin;
    MPI_Type_create_keyval(MPI_TYPE_DUP_FN, count_deletion, &type_keyval, NULL);
    MPI_Type_dup(MPI_INT, &type);
    MPI_Type_set_attr(type, type_keyval, &deleted);
    MPI_Type_dup(type, &twin); /* with the attribute */
    MPI_Type_free_keyval(&type_keyval);
    MPI_Type_free(&type);
    MPI_Type_free(&twin);
    wrong += deleted != 2;
    MPI_Finalize();
    return wrong != 0;
}
