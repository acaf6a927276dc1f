// Two ranks or more work (two for half a second each, more for less) and then all wait for a message that the next one would
// send later. Each writes the time (nanoseconds since 1970) at which it begins to wait into a file of its own.
// Usage: late-deadlock DIRECTORY
#include <mpi.h>
#include <stdio.h>
#include <time.h>

int main(int argc, char **argv)
{
    int rank, size, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (clock_t start = clock(); clock() < start + CLOCKS_PER_SEC / size;)
        continue;
    MPI_Barrier(MPI_COMM_WORLD);
    char path[4096];
    snprintf(path, sizeof path, "%s/waits-%d", argc > 1 ? argv[1] : ".", rank);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    FILE *file = fopen(path, "w");
    if (!file)
        MPI_Abort(MPI_COMM_WORLD, 2);
    fprintf(file, "%lld\n", (long long)now.tv_sec * 1000000000 + now.tv_nsec);
    fclose(file);
    MPI_Recv(&value, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
