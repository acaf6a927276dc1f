// Two ranks make the same persistent collective operations, each in an order of its own.
//
// What is wrong: persistent collective operations match by the order in which they are made on the communicator (MPI 4.1,
// 6.13). That all ranks start the broadcast first does not help: MPI_Allreduce_init of rank 0 belongs to MPI_Bcast_init of
// rank 1.
// The fix: all make them in the same order.
//
// ranks: 2
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)
// expect: collective-mismatch ranks 0,1

#include <mpi.h>

static int told[4], mine = 1, sum;

static void make_broadcast(MPI_Request *request)
{
    MPI_Bcast_init(told, 4, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, request); //~ collective-mismatch
}

static void make_sum(MPI_Request *request)
{
    MPI_Allreduce_init(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, request); //~ collective-mismatch
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request broadcast, reduction;
    if (rank == 0) {
        make_sum(&reduction);
        make_broadcast(&broadcast);
    } else {
        make_broadcast(&broadcast);
        make_sum(&reduction);
    }
    // Nothing is started: what the library would do with it is anybody's guess.
    MPI_Request_free(&broadcast);
    MPI_Request_free(&reduction);
    MPI_Finalize();
    return 0;
}
