// The twin of bug-vector.cpp: the datatype is chosen by the type of the elements.
//
// ranks: 2

#include <mpi.h>

#include <vector>

static MPI_Datatype datatype(double) { return MPI_DOUBLE; }
static MPI_Datatype datatype(float) { return MPI_FLOAT; }

template <typename T> T total(const std::vector<T> &values)
{
    std::vector<T> sums(2 * values.size());
    int half = int(values.size()) / 2;
    MPI_Allreduce(values.data(), &sums[0], half, datatype(T()), MPI_SUM, MPI_COMM_WORLD);
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
