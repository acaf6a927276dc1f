// A C++ program that passes the borders of its blocks around in a ring, through a class template.
//
// What is wrong: every rank first waits for the border of its left neighbour and then sends its own to the right.
// Nobody ever sends.
// The fix: MPI_Sendrecv.
//
// ranks: 3
// expect: real-deadlock ranks 0,1,2

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
        MPI_Recv(&block[0], 1, Type<T>::mpi(), left, 0, comm, MPI_STATUS_IGNORE); //~ real-deadlock
        MPI_Send(&block[last], 1, Type<T>::mpi(), right, 0, comm);
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
