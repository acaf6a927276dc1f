// Each rank broadcasts its parameters to all others, and goes on while the broadcasts run.
//
// What is wrong: a message from a neighbour is received into the parameters before their broadcast is complete.
// The fix: a variable of its own for it.
//
// ranks: 2
// expect: collective-overlap ranks 0,1

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, ranks, parameters[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}}, news = 9;
    MPI_Request requests[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int root = 0; root < ranks; root++)
        MPI_Ibcast(parameters[root], 4, MPI_INT, root, MPI_COMM_WORLD, &requests[root]); //~ collective-overlap
    MPI_Sendrecv(&news, 1, MPI_INT, 1 - rank, 0, &parameters[rank][3], 1, MPI_INT, 1 - rank, 0, //~ collective-overlap
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(ranks, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
