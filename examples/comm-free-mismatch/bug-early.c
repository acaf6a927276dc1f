// Ranks agree on the largest value, and are done with their communicator.
//
// What is wrong: rank 1 frees the communicator one step earlier than the others, who still wait for it in a barrier.
// The fix: all take part in the barrier before they free it.
//
// ranks: 3
// expect: comm-free-mismatch ranks 0,1,2

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, largest;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Comm team;
    MPI_Comm_dup(MPI_COMM_WORLD, &team);
    MPI_Allreduce(&rank, &largest, 1, MPI_INT, MPI_MAX, team);
    if (rank != 1)
        MPI_Barrier(team); //~ comm-free-mismatch
    else
        printf("the largest is %d\n", largest);
    MPI_Comm_free(&team); //~ comm-free-mismatch
    MPI_Finalize();
    return 0;
}
