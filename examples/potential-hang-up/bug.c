// Rank 1 tells rank 0 how far it is, as often as it has something to say, and waits until its words are gone.
//
// What is wrong: rank 1 has one thing more to say than rank 0 listens to. Its wait for the last message returns because
// the MPI library has buffered it; a library that does not keeps rank 1 in MPI_Wait for ever.
// The fix: rank 0 receives until it is told that there is no more.
//
// `nonpaired-send` names the message itself, and is off here to show what it may lead to.
//
// ranks: 2
// options: --no-check nonpaired-send
// expect: potential-hang-up ranks 1

#include <mpi.h>
#include <stdio.h>

enum { STEPS = 4 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    if (rank == 0) {
        int percent;
        for (int step = 0; step < STEPS; step++) {
            MPI_Recv(&percent, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            printf("%d percent\n", percent);
        }
    } else {
        for (int step = 0; step <= STEPS; step++) {
            int percent = 100 * step / STEPS;
            MPI_Request request;
            MPI_Isend(&percent, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request); //~ potential-hang-up
            MPI_Wait(&request, MPI_STATUS_IGNORE); //~ potential-hang-up
        }
    }
    MPI_Finalize();
    return 0;
}
