// Correct C++: communicators, types and requests owned by objects, messages through templates and lambdas, and
// exceptions that are thrown between MPI calls and caught.
//
// Destructors call MPI while an exception unwinds the stack, and every one of these calls is a call of the program.
//
// ranks: 4

#include <mpi.h>

#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace mpi {

template <typename T> MPI_Datatype datatype()
{
    if constexpr (std::is_same_v<T, int>)
        return MPI_INT;
    else if constexpr (std::is_same_v<T, double>)
        return MPI_DOUBLE;
    else
        static_assert(sizeof(T) == 0, "no datatype");
}

struct Error : std::runtime_error {
    explicit Error(int code) : std::runtime_error(text(code)) {}

    static std::string text(int code)
    {
        char buffer[MPI_MAX_ERROR_STRING];
        int length = 0, error_class = 0;
        MPI_Error_class(code, &error_class);
        MPI_Error_string(code, buffer, &length);
        return error_class == MPI_ERR_RANK ? "wrong rank" : std::string(buffer, static_cast<size_t>(length));
    }
};

inline void check(int code)
{
    if (code != MPI_SUCCESS)
        throw Error(code);
}

class Comm {
public:
    explicit Comm(MPI_Comm of) { check(MPI_Comm_dup(of, &comm)); }
    ~Comm() { MPI_Comm_free(&comm); }
    Comm(const Comm &) = delete;
    Comm &operator=(const Comm &) = delete;

    int rank() const
    {
        int rank;
        check(MPI_Comm_rank(comm, &rank));
        return rank;
    }
    int size() const
    {
        int size;
        check(MPI_Comm_size(comm, &size));
        return size;
    }
    void errors_return() { check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)); }

    template <typename T, size_t N> void send(const std::array<T, N> &values, int to, int tag = 0) const
    {
        check(MPI_Send(values.data(), static_cast<int>(N), datatype<T>(), to, tag, comm));
    }
    template <typename T, size_t N> std::array<T, N> receive(int from, int tag = 0) const
    {
        std::array<T, N> values{};
        check(MPI_Recv(values.data(), static_cast<int>(N), datatype<T>(), from, tag, comm, MPI_STATUS_IGNORE));
        return values;
    }
    template <typename T> T sum(T value) const
    {
        check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, datatype<T>(), MPI_SUM, comm));
        return value;
    }

    MPI_Comm comm = MPI_COMM_NULL;
};

/* A column of a matrix by rows; freed with the object. */
template <typename T> class Column {
public:
    Column(int rows, int columns)
    {
        check(MPI_Type_vector(rows, 1, columns, datatype<T>(), &type));
        check(MPI_Type_commit(&type));
    }
    ~Column() { MPI_Type_free(&type); }
    Column(const Column &) = delete;
    Column &operator=(const Column &) = delete;

    MPI_Datatype type = MPI_DATATYPE_NULL;
};

} // namespace mpi

template <typename T> static T exchange_columns(const mpi::Comm &world, int rows, int columns)
{
    mpi::Column<T> column(rows, columns);
    std::vector<T> matrix(static_cast<size_t>(rows * columns));
    std::iota(matrix.begin(), matrix.end(), static_cast<T>(100 * world.rank()));
    int right = (world.rank() + 1) % world.size(), left = (world.rank() + world.size() - 1) % world.size();
    std::vector<MPI_Request> requests(2);
    std::vector<std::function<int()>> starts = {
        [&] { return MPI_Irecv(&matrix[0], 1, column.type, left, 1, world.comm, &requests[0]); },
        [&] { return MPI_Isend(&matrix[1], 1, column.type, right, 1, world.comm, &requests[1]); },
    };
    for (auto &start : starts)
        mpi::check(start());
    mpi::check(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE));
    return matrix[0];
}

static int failures;

/* The communicator is freed while the exception passes. */
static void fail(const mpi::Comm &world)
{
    mpi::Comm quiet(world.comm);
    quiet.errors_return();
    quiet.send(std::array<int, 1>{1}, quiet.size());
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    {
        auto world = std::make_unique<mpi::Comm>(MPI_COMM_WORLD);
        int rank = world->rank();
        std::array<double, 3> values{};
        if (rank == 0)
            for (int to = 1; to < world->size(); to++)
                world->send(std::array<double, 3>{1.0, 2.0, to * 1.0}, to);
        else
            values = world->receive<double, 3>(0);

        int from_left = exchange_columns<int>(*world, 5, 4);
        double real_from_left = exchange_columns<double>(*world, 3, 7);
        try {
            fail(*world);
        } catch (const mpi::Error &error) {
            failures += std::string(error.what()) == "wrong rank";
        }
        int all = world->sum(failures);
        std::printf("rank %d: %g, %d, %g, %d failures\n", rank, values[2], from_left, real_from_left, all);
    }
    MPI_Finalize();
    return 0;
}
