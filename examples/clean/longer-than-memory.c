// A receive whose count is a bound on what may come, greater than the memory that there is.
//
// Correct as long as the message fits, which is what mpivet says.
//
// ranks: 2
// allow: inaccessible-buffer

#define _DEFAULT_SOURCE
#include <mpi.h>
#include <stddef.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
    size_t bytes = 1 << 16;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *pages = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(pages + bytes, bytes);
    if (rank == 0)
        MPI_Send(pages, 100, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(pages, 2 * bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    munmap(pages, bytes);
    MPI_Finalize();
    return 0;
}
