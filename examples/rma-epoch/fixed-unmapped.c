// Each rank exposes pages of its own by a window.
//
// Correct: the pages are unmapped when the window is gone.
//
// ranks: 2

#define _GNU_SOURCE
#include <mpi.h>
#include <stddef.h>
#include <sys/mman.h>

enum { BYTES = 1 << 20 };

int main(int argc, char **argv)
{
    int rank, seen = 0;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pages[0] = rank;
    MPI_Win_create(pages, BYTES, sizeof pages[0], MPI_INFO_NULL, MPI_COMM_WORLD, &win);

    MPI_Win_fence(0, win);
    MPI_Get(&seen, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);

    MPI_Win_free(&win);
    munmap(pages, BYTES);
    MPI_Finalize();
    return 0;
}
