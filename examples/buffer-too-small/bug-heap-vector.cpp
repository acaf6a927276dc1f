// Process 0 sends its numbers to process 1, with one more that says that they are all.
//
// What is wrong: the vector has no room for the last one.
// The fix: it is made part of the vector.
//
// ranks: 2
// options: --heap
// expect: buffer-too-small ranks 0

#include <mpi.h>
#include <vector>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    std::vector<double> numbers(40, 1.0);
    if (rank == 0) {
        MPI_Send(numbers.data(), 41, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); //~ buffer-too-small
    } else {
        numbers.resize(41);
        MPI_Recv(numbers.data(), 41, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
