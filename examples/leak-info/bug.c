// A communicator is made with a hint.
//
// What is wrong: the info object is never freed.
// The fix: free it when the communicator is there.
//
// ranks: 2
// expect: leak-info ranks 0,1

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Info hints;
    MPI_Comm comm;
    MPI_Info_create(&hints); //~ leak-info
    MPI_Info_set(hints, "mpi_assert_no_any_tag", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, hints, &comm);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
