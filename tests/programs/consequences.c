// Mistakes from which others follow, by argument; a second argument: errors are returned, and nobody looks at them.
//   count      a negative count in a receive
//   refused    a negative count in a collective operation, which the others then wait for
//   root       two roots in a nonblocking broadcast: the library writes into the buffer of one
//   own        what a rank sends to itself does not fit
//   op         no reduction operation
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, from[64], to[64];
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 2)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 64; i++)
        from[i] = 1000 * rank + i;
    if (!strcmp(argv[1], "count") && rank == 0)
        MPI_Send(from, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (!strcmp(argv[1], "count") && rank == 1)
        MPI_Recv(to, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(argv[1], "refused"))
        MPI_Reduce(from, to, rank == 1 ? -1 : 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!strcmp(argv[1], "root")) {
        MPI_Ibcast(from, 4, MPI_INT, rank == 1 ? 1 : 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (!strcmp(argv[1], "own"))
        MPI_Allgather(from, 2, MPI_INT, to, rank == 1 ? 1 : 2, MPI_INT, MPI_COMM_WORLD);
    if (!strcmp(argv[1], "op"))
        MPI_Allreduce(from, to, 4, MPI_INT, rank == 1 ? MPI_OP_NULL : MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
