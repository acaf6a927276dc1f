// A communicator of all ranks but the first.
//
// What is wrong: the group of MPI_COMM_WORLD is freed, that of the workers is not.
// The fix: free both groups.
//
// ranks: 3
// expect: leak-group ranks 0,1,2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Group all, workers;
    MPI_Comm comm;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_excl(all, 1, (int[]){0}, &workers); //~ leak-group
    MPI_Comm_create(MPI_COMM_WORLD, workers, &comm);
    MPI_Group_free(&all);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
