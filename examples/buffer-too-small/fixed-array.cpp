// The twin of bug-array.cpp: the array says how many elements it has.
//
// ranks: 2

#include <mpi.h>

#include <array>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    std::array<long, 4> counters{};
    std::array<long, 6> sums{};
    MPI_Allreduce(counters.data(), sums.data(), int(counters.size()), MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
