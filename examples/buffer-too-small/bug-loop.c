// In each step process 0 sends the particles that have left its part of space, of which there are more or fewer each time.
//
// What is wrong: the array has room for 120 numbers, and in one of many steps 123 are sent.
// The fix: as many are sent as there are, and the rest in the next step.
//
// ranks: 2
// expect: buffer-too-small ranks 0

#include <mpi.h>

enum { STEPS = 60000, ROOM = 120 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double leaving[ROOM] = {0}, all[ROOM + 10];
    for (int step = 0; step < STEPS; step++) {
        int count = step == STEPS * 3 / 4 ? 41 : 1 + step % 40;
        if (rank == 0)
            MPI_Send(leaving, 3 * count, MPI_DOUBLE, 1, step % 1000, MPI_COMM_WORLD); //~ buffer-too-small
        else
            MPI_Recv(all, ROOM + 10, MPI_DOUBLE, 0, step % 1000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
