/* What happens to jobs that span nodes, by the first argument. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int rank, size;

static int is(const char *mode, char **argv) { return argv[1] && !strcmp(argv[1], mode); }

static void round_trip(MPI_Datatype type)
{
    int value = rank;
    MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank + 1) % size, 1, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    float other = 0;
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, size - 1, 2, MPI_COMM_WORLD);
    else if (rank == size - 1)
        MPI_Recv(&other, 1, type, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank;
    if (is("mixed", argv))
        round_trip(MPI_FLOAT);
    else
        round_trip(MPI_INT);
    if (is("circle", argv)) {
        /* Each rank waits for the one before it. */
        MPI_Recv(&value, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD);
    } else if (is("pair", argv) && rank < 2) {
        MPI_Recv(&value, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD);
    } else if (is("pair", argv)) {
        sleep(60);
    } else if (is("send", argv)) {
        /* A library may buffer the message or not: whether all wait for each other is seen in the processes alone. */
        static char large[1 << 20], other[1 << 20];
        MPI_Send(large, sizeof large, MPI_CHAR, (rank + 1) % size, 3, MPI_COMM_WORLD);
        MPI_Recv(other, sizeof other, MPI_CHAR, (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (is("long", argv)) {
        sleep(argv[2] ? atoi(argv[2]) : 30);
    } else if (is("crash", argv) && rank == size - 1) {
        raise(SIGSEGV);
    } else if (is("killed", argv) && rank == size - 1) {
        sleep(1);
        raise(SIGKILL);
    } else if (is("killed", argv)) {
        /* The system takes long to give it back, so that nobody ends as fast as the one that ended first. */
        enum { LENGTH = 256 << 20 };
        char *memory = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        madvise(memory, LENGTH, MADV_NOHUGEPAGE);
        memset(memory, 1, LENGTH);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
