// The highest mean temperature among the strips of a plate.
//
// What is wrong: the sensors are dealt out in blocks of four and rank 3 gets none. It divides by its
// number of sensors, which is zero, and dies of SIGFPE while the others wait for it.
// The fix: a rank without sensors has nothing to contribute and says so.
//
// ranks: 4
// expect: abend ranks 3
// not-at-once: abend (a signal handler cannot look up lines: it prints the address)

#include <mpi.h>
#include <stdio.h>

enum { SENSORS = 12, BLOCK = 4 };

static int read_sensor(int i)
{
    return 20 + i % 7;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int sensors = rank == 0 ? SENSORS : 0, sum = 0, count = 0;
    MPI_Allreduce(MPI_IN_PLACE, &sensors, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    for (int i = rank * BLOCK; i < (rank + 1) * BLOCK && i < sensors; i++) {
        sum += read_sensor(i);
        count++;
    }
    int mean = sum / count; //~ abend

    int highest = 0;
    MPI_Allreduce(&mean, &highest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("highest mean: %d\n", highest);
    MPI_Finalize();
    return 0;
}
