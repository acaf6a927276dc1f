// A C++ program that passes the borders of its blocks around in a ring, through a class template.
//
// Correct: MPI_Sendrecv.
//
// ranks: 3

#include <mpi.h>

#include <cstdio>
#include <stdexcept>
#include <vector>

namespace grid {

template <typename T> struct Type;
template <> struct Type<double> {
    static MPI_Datatype mpi() { return MPI_DOUBLE; }
};

struct Broken : std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <typename T> class Ring {
public:
    explicit Ring(MPI_Comm comm) : comm(comm)
    {
        int rank, size;
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        if (size < 2)
            throw Broken("a ring of one");
        left = (rank + size - 1) % size;
        right = (rank + 1) % size;
    }

    void exchange(std::vector<T> &block) const
    {
        int last = static_cast<int>(block.size()) - 2;
        MPI_Sendrecv(&block[last], 1, Type<T>::mpi(), right, 0, &block[0], 1, Type<T>::mpi(), left, 0, comm,
                     MPI_STATUS_IGNORE);
    }

private:
    MPI_Comm comm;
    int left, right;
};

} // namespace grid

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    try {
        grid::Ring<double> alone(MPI_COMM_SELF);
    } catch (const grid::Broken &broken) {
        std::vector<double> block(10, 1.0);
        grid::Ring<double>(MPI_COMM_WORLD).exchange(block);
        std::printf("%s: %g\n", broken.what(), block[0]);
    }
    MPI_Finalize();
    return 0;
}
