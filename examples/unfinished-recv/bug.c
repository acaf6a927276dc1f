// A ring: every rank takes over the value of its left neighbour.
//
// What is wrong: the barrier is taken for a proof that the message is there. It says nothing about
// messages; the receive is never completed, and its buffer may not be read.
// The fix: MPI_Wait, which makes the barrier superfluous.
//
// ranks: 4
// expect: unfinished-recv ranks 0,1,2,3

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;

    int mine = 100 + rank, taken = -1;
    MPI_Request request;
    MPI_Irecv(&taken, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &request); //~ unfinished-recv
    MPI_Send(&mine, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);

    printf("rank %d took over %d\n", rank, taken);
    MPI_Finalize();
    return 0;
}
