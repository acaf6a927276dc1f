// A static object whose destructor ends MPI.
//
// What is wrong: it does not free the info object.
// The fix: free it before MPI_Finalize.
//
// ranks: 2
// expect: leak-info ranks 0,1

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
