// Two ranks exchange the columns at their border with nonblocking sends.
//
// What is wrong: each rank waits for its send before it receives. MPI_Isend does not wait, but MPI_Wait does: until the
// message is received or buffered. Nonblocking calls in pairs with their waits are blocking calls.
// The fix: the receive stands between MPI_Isend and MPI_Wait.
//
// ranks: 2
// expect: potential-deadlock ranks 0,1

#include <mpi.h>
#include <stdio.h>

enum { CELLS = 16 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    float mine[CELLS], theirs[CELLS];
    for (int i = 0; i < CELLS; i++)
        mine[i] = (float)(rank * CELLS + i);
    MPI_Request request;
    MPI_Isend(mine, CELLS, MPI_FLOAT, 1 - rank, 0, MPI_COMM_WORLD, &request); //~ potential-deadlock
    MPI_Wait(&request, MPI_STATUS_IGNORE); //~ potential-deadlock
    MPI_Recv(theirs, CELLS, MPI_FLOAT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    if (rank == 0)
        printf("the first cell beyond the border: %.0f\n", theirs[0]);
    MPI_Finalize();
    return 0;
}
