// A function template adds up the elements of vectors over all processes.
//
// What is wrong: it was written for double, and says so. Called with float it reads 8 bytes for each 4.
// The fix: the datatype is chosen by the type of the elements.
//
// ranks: 2
// expect: buffer-type ranks 0,1

#include <mpi.h>

#include <vector>

template <typename T> T total(const std::vector<T> &values)
{
    std::vector<T> sums(2 * values.size());
    int half = int(values.size()) / 2;
    MPI_Allreduce(values.data(), &sums[0], half, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); //~ buffer-type
    return sums[0];
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    std::vector<double> fine(10, 1.0);
    std::vector<float> coarse(10, 1.0f);
    bool more = total(fine) > 0 && total(coarse) >= 0;
    MPI_Finalize();
    return more ? 0 : 1;
}
