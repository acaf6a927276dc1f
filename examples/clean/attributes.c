// Attributes with copy and delete callbacks that call MPI themselves.
//
// Correct: callbacks may communicate; the delete callback of an attribute of MPI_COMM_SELF runs at the
// beginning of MPI_Finalize, when MPI still works.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

static int copy(MPI_Comm comm, int key, void *extra, void *value, void *copied, int *flag)
{
    (void)key;
    int rank, *copies = extra;
    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(MPI_IN_PLACE, &rank, 1, MPI_INT, MPI_SUM, comm);
    *copies += rank;
    *(void **)copied = value;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_on_dup(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)key, (void)value, (void)extra;
    int rank, sum;
    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return MPI_SUCCESS;
}

static int at_end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    int rank, finalized, other, got = -1;
    MPI_Finalized(&finalized);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Sendrecv(value, 1, MPI_INT, other, 0, &got, 1, MPI_INT, other, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    printf("rank %d: got %d in the end, finalized: %d\n", rank, got, finalized);
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, key, end_key, copies = 0, found;
    static int farewell;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    farewell = 50 + rank;

    MPI_Comm first, second;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_create_keyval(copy, delete_on_dup, &key, &copies);
    MPI_Comm_set_attr(first, key, &farewell);
    MPI_Comm_dup(first, &second);
    void *value;
    MPI_Comm_get_attr(second, key, &value, &found);
    MPI_Comm_delete_attr(first, key);
    MPI_Comm_free(&second);
    MPI_Comm_free(&first);
    MPI_Comm_free_keyval(&key);

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &end_key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, end_key, &farewell);
    MPI_Comm_free_keyval(&end_key);
    printf("rank %d: copied %d, found %d\n", rank, copies, found && value == &farewell);
    MPI_Finalize();
    return 0;
}
