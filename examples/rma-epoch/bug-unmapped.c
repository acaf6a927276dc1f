// Each rank exposes pages of its own by a window.
//
// What is wrong: the pages are unmapped while the window is still there.
// The fix: MPI_Win_free before munmap(2).
//
// ranks: 2
// expect: rma-epoch ranks 0,1

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

    munmap(pages, BYTES);
    MPI_Win_free(&win); //~ rma-epoch
    MPI_Finalize();
    return 0;
}
