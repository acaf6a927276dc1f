// Combined sends and receives with counts that reach beyond the memory: of what is received, where less comes; with an
// argument of what is sent. 2 ranks.
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <stddef.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
    int bytes = 1 << 16, rank, x = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *pages = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(pages + bytes, bytes);
    int count = argc > 1 ? 4 : 2 * bytes;
    MPI_Sendrecv(&x, 1, MPI_INT, 1 - rank, 0, pages, count, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Sendrecv_replace(pages, count, MPI_CHAR, MPI_PROC_NULL, 0, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && argc > 1)
        MPI_Sendrecv(pages, 2 * bytes, MPI_CHAR, 1, 0, &x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (argc > 1)
        MPI_Sendrecv(&x, 1, MPI_INT, 0, 0, pages, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
