// Makes MPI calls as fast as it can and counts them in a file that survives its death: word 0 is the number of calls
// begun, word 1 the number of calls that have returned. Usage: counter FILE
#include <fcntl.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
    if (fd < 0 || ftruncate(fd, 4096)) {
        perror("counter");
        return 2;
    }
    _Atomic long *counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (counts == MAP_FAILED) {
        perror("counter");
        return 2;
    }
    MPI_Init(&argc, &argv);
    for (;;) {
        int rank;
        atomic_fetch_add(&counts[0], 1);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        atomic_fetch_add(&counts[1], 1);
    }
}
