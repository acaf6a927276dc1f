// Rank 0 is told by rank 1 how many values there are, and by rank 2 the values.
//
// What is wrong: both messages have the same tag, and rank 0 asks for the first one without naming its source. If rank 2 is
// quicker than rank 1, three values come into room for one number. This time rank 2 has more to do.
// The fix: each kind of message has a tag of its own.
//
// ranks: 3
// expect: message-race ranks 0,2

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    if (rank == 0) {
        int count;
        double values[3];
        MPI_Recv(&count, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ message-race
        MPI_Recv(values, 3, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d values, the last is %g\n", count, values[2]);
    } else if (rank == 1) {
        int count = 3;
        MPI_Send(&count, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); //~ message-race
    } else if (rank == 2) {
        double values[3] = {0.5, 1.5, 2.5};
        usleep(300000);
        MPI_Send(values, 3, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD); //~ message-race
    }
    MPI_Finalize();
    return 0;
}
