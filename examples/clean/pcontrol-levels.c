// A program that was made for a profiler: it turns the profile off for its exchange of borders, on some ranks alone.
//
// Correct: MPI_Pcontrol has no effect on communication (MPI 4.1, 15.2.4). mpivet must see the messages between levels 0
// and 1 as well: their partners are recorded elsewhere, and what is made there is used and freed later.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, in = -1;
    MPI_Comm copy;
    MPI_Request request;
    MPI_Datatype pair;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Pcontrol(0);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 0, copy, &request);
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, copy);
    MPI_Barrier(copy);
    MPI_Pcontrol(1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int both[2] = {rank, in};
    MPI_Bcast(both, 1, pair, 0, copy);
    MPI_Pcontrol(2);
    MPI_Type_free(&pair);
    MPI_Comm_free(&copy);
    printf("rank %d: %d %d, from %d\n", rank, both[0], both[1], in);
    MPI_Finalize();
    return 0;
}
