// A static object whose destructor ends MPI.
//
// Correct: the destructor frees the hints before it ends MPI.
//
// ranks: 2

#include <mpi.h>

namespace {

struct Environment {
    MPI_Info hints = MPI_INFO_NULL;

    void begin(int *argc, char ***argv)
    {
        MPI_Init(argc, argv);
        MPI_Info_create(&hints);
        MPI_Info_set(hints, "striping_factor", "4");
    }

    ~Environment()
    {
        MPI_Info_free(&hints);
        MPI_Finalize();
    }
};

Environment environment;

} // namespace

int main(int argc, char **argv)
{
    environment.begin(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}
