// A structure with two members is sent.
//
// Correct: the displacement of the second one is the size of the first.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, pair[2] = {1, 2}, lengths[2] = {1, 1};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Aint places[2] = {0, sizeof(int)};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT}, both;
    MPI_Type_create_struct(2, lengths, places, types, &both);
    MPI_Type_commit(&both);
    if (rank == 0)
        MPI_Send(pair, 1, both, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(pair, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&both);
    MPI_Finalize();
    return 0;
}
