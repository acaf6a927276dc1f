// A library keeps its state at the communicator.
//
// What is wrong: the attribute's key is never freed.
// The fix: free the key: the attribute keeps it alive.
//
// ranks: 2
// expect: leak-keyval ranks 0,1

#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    static int state;
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL); //~ leak-keyval
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &state);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
