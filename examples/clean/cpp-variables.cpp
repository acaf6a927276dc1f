// Correct uses of memory in C++: containers, templates, references, members of base classes, buffers for several types,
// and vectors that hold less than they have room for.
//
// ranks: 2

#include <mpi.h>

#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

template <typename T> struct kind_of;
template <> struct kind_of<int> { static MPI_Datatype get() { return MPI_INT; } };
template <> struct kind_of<double> { static MPI_Datatype get() { return MPI_DOUBLE; } };
template <> struct kind_of<std::int64_t> { static MPI_Datatype get() { return MPI_INT64_T; } };

template <typename T> void share(T *data, int count)
{
    MPI_Bcast(data, count, kind_of<T>::get(), 0, MPI_COMM_WORLD);
}

template <typename T> void share(std::vector<T> &all)
{
    MPI_Bcast(all.data(), int(all.size()), kind_of<T>::get(), 0, MPI_COMM_WORLD);
    MPI_Bcast(&all[0], int(all.size()), kind_of<T>::get(), 0, MPI_COMM_WORLD);
    share(&all.front(), int(all.size()));
}

struct Base {
    double origin[3];
};

struct Mesh : Base {
    int cells[4];
    std::vector<double> field{1, 2, 3};
    void exchange()
    {
        MPI_Bcast(origin, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Bcast(cells, 4, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Bcast(field.data(), 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Bcast(this->field.data() + 1, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
};

// Three coordinates without a gap.
struct Point {
    double x, y, z;
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    std::vector<int> integers(10, 1);
    std::vector<double> reals(10, 1);
    std::vector<std::int64_t> wide(4);
    share(integers);
    share(reals);
    share(wide);

    std::array<std::array<double, 3>, 4> rows{};
    MPI_Bcast(rows.data(), 12, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&rows[1][0], 9, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    std::vector<Point> points(5);
    MPI_Bcast(points.data(), 15, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&points[1].y, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    std::vector<std::complex<float>> z(3);
    MPI_Bcast(z.data(), 3, MPI_CXX_FLOAT_COMPLEX, 0, MPI_COMM_WORLD);
    MPI_Bcast(z.data(), 6, MPI_FLOAT, 0, MPI_COMM_WORLD);
    auto &alias = reals;
    MPI_Bcast(alias.data(), 10, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    std::unique_ptr<char[]> raw(new char[80]);
    MPI_Bcast(raw.get(), 10, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(reinterpret_cast<int *>(reals.data()), 20, MPI_INT, 0, MPI_COMM_WORLD);
    auto send = [&](auto *data, int count, MPI_Datatype type) { MPI_Bcast(data, count, type, 0, MPI_COMM_WORLD); };
    send(integers.data(), 10, MPI_INT);
    send(reals.data(), 10, MPI_DOUBLE);
    bool yes = true;
    MPI_Bcast(&yes, 1, MPI_CXX_BOOL, 0, MPI_COMM_WORLD);
    Mesh mesh;
    mesh.exchange();
    MPI_Finalize();
    return 0;
}
