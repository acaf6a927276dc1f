// The program's error handler throws an exception that nobody catches. 2 ranks.
#include <mpi.h>

#include <stdexcept>

static void handler(MPI_Comm *, int *, ...)
{
    throw std::runtime_error("an error of MPI"); // thrown here
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Errhandler throws;
    MPI_Comm_create_errhandler(handler, &throws);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, throws);
    MPI_Errhandler_free(&throws);
    int rank, numbers[4] = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    try {
        if (rank == 0)
            MPI_Send(numbers, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(numbers, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } catch (std::runtime_error &) {
        throw; // goes on to nobody
    }
    MPI_Finalize();
}
