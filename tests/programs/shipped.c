// Known mistakes of libraries (`mpivet suppressions`), by a library that is called like one of them, and the like by the
// program. -DLIBRARY: the library.
#include <mpi.h>
#include <stddef.h>

#ifdef LIBRARY
int own_key(void)
{
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    return key;
}
#else
int own_key(void);

// As BLACS does it: the answer goes where the question comes from.
static void BI_TreeComb(int other, int *value)
{
    MPI_Request request;
    MPI_Irecv(value, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &request);
    MPI_Send(value, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void tree(int other, int *value)
{
    BI_TreeComb(other, value);
}

int main(int argc, char **argv)
{
    int rank, value = 1, key;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    own_key();
    if (argc > 1)
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    if (rank == 0) {
        tree(1, &value);
    } else if (rank == 1) {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
#endif
