// Messages and collective operations without data.
//
// Correct: an empty message is a message and needs a receive; the basic types of both sides do not matter
// when there are none; buffers of count zero may be NULL; a type may be empty.
//
// ranks: 3

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, count = -1, space[4], zeros[3] = {0}, steps = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;

    MPI_Datatype empty;
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    MPI_Status status;
    MPI_Request request;

    MPI_Irecv(NULL, 0, MPI_INT, left, 0, MPI_COMM_WORLD, &request);
    MPI_Send(NULL, 0, MPI_INT, right, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    steps++;

    MPI_Irecv((float *)space, 4, MPI_FLOAT, left, 0, MPI_COMM_WORLD, &request); /* room, but nothing comes */
    MPI_Send(NULL, 0, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_FLOAT, &count);
    steps += count == 0;

    MPI_Irecv(space, 4, MPI_INT, left, 0, MPI_COMM_WORLD, &request);
    MPI_Send(space, 7, empty, right, 0, MPI_COMM_WORLD); /* seven times nothing */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    steps++;

    MPI_Bcast(NULL, 0, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(space, 1 + rank, empty, 0, MPI_COMM_WORLD);
    MPI_Gatherv(NULL, 0, MPI_INT, NULL, zeros, zeros, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Alltoallv(NULL, zeros, zeros, MPI_INT, space, zeros, zeros, MPI_INT, MPI_COMM_WORLD);
    MPI_Type_free(&empty);
    MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
    printf("rank %d: %d steps\n", rank, steps);
    MPI_Finalize();
    return 0;
}
