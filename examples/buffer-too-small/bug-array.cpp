// All processes add up their counters, which are in a std::array.
//
// What is wrong: the count is that of another array, which is longer.
// The fix: the array says how many elements it has.
//
// ranks: 2
// expect: buffer-too-small ranks 0,1

#include <mpi.h>

#include <array>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    std::array<long, 4> counters{};
    std::array<long, 6> sums{};
    MPI_Allreduce(counters.data(), sums.data(), int(sums.size()), MPI_LONG, MPI_SUM, MPI_COMM_WORLD); //~ buffer-too-small
    MPI_Finalize();
    return 0;
}
