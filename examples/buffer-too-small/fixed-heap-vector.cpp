// The twin of bug-heap-vector.cpp: the last number is in the vector, too.
//
// ranks: 2
// options: --heap

#include <mpi.h>
#include <vector>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    std::vector<double> numbers(40, 1.0);
    numbers.push_back(-1.0);
    if (rank == 0)
        MPI_Send(numbers.data(), 41, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(numbers.data(), 41, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
