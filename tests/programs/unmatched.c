// A message that nobody receives is there when rank 0 ends MPI: some libraries then fail in MPI_Finalize.
//
// With an argument, rank 1 is late: it is still computing when rank 0 fails, and is ended there.
//
// ranks: 2

#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, value = 1, flag;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        MPI_Send(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    /* who is still in the barrier when the job is ended did not finish it */
    if (rank == 1)
        MPI_Send(&value, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
    else
        MPI_Recv(&value, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    /* probing makes the library take the message in */
    for (int i = 0; i < 1000; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (argc > 1 && rank == 1)
        sleep(2);
    MPI_Finalize();
    return 0;
}
