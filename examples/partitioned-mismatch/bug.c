// A field goes from one process to the other in four partitions, and is taken in two.
//
// What is wrong: the receiver thinks that `count` is the number of elements of the sender's partition, and describes half of the
// field.
// The fix: with half as many partitions each of them has twice as many elements.
//
// ranks: 2
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)
// expect: partitioned-mismatch ranks 0,1

#include <mpi.h>

enum { PARTS = 4, EACH = 250 };

static double field[PARTS * EACH];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request request;
    if (rank == 0)
        MPI_Psend_init(field, PARTS, EACH, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request); //~ partitioned-mismatch
    else
        MPI_Precv_init(field, PARTS / 2, EACH, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request); //~ partitioned-mismatch
    // Nothing is started: what the library would do with it is anybody's guess.
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
