// Parameters are broadcast in every step by an operation that was made once.
//
// What is wrong: a message from the other rank is received into the parameters before their broadcast is complete.
// The fix: the broadcast is completed first.
//
// ranks: 2
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)
// expect: collective-overlap ranks 0,1

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, parameters[4] = {1, 2, 3, 4}, news = 9;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request request;
    MPI_Bcast_init(parameters, 4, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request); //~ collective-overlap
    MPI_Sendrecv(&news, 1, MPI_INT, 1 - rank, 0, &parameters[3], 1, MPI_INT, 1 - rank, 0, //~ collective-overlap
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
