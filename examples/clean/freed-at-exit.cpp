// Objects that are freed after MPI_Finalize: by a destructor of a static object, and by a function that was registered
// before MPI_Init.
//
// Correct: since MPI 4.0 info objects may be freed at any time (MPI 4.1, 11.4.1).
//
// ranks: 2
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)

#include <cstdlib>
#include <mpi.h>

namespace {

struct Hints {
    MPI_Info info = MPI_INFO_NULL;
    ~Hints()
    {
        if (info != MPI_INFO_NULL)
            MPI_Info_free(&info);
    }
};

Hints hints;
MPI_Info other;

void free_other()
{
    MPI_Info_free(&other);
}

} // namespace

int main(int argc, char **argv)
{
    std::atexit(free_other);
    MPI_Init(&argc, &argv);
    MPI_Info_create(&hints.info);
    MPI_Info_set(hints.info, "striping_factor", "4");
    MPI_Info_dup(hints.info, &other);
    MPI_Finalize();
    return 0;
}
