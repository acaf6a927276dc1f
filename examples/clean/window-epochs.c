// Epochs on a window that make ranks wait for each other for long, and come to an end all the same: late posts, late
// completes, locks that are held while the target computes, a shared lock of all.
//
// Correct: each wait ends when the other rank has done with what it is at.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 3, PAUSE = 150000 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, *sum, one = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win win;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &sum, &win);
    *sum = 0;
    MPI_Group world, partner;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int other = rank ^ 1;
    MPI_Group_incl(world, 1, &other, &partner);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < ROUNDS; i++) {
        if (rank % 2 == 0) {
            usleep(PAUSE);
            MPI_Win_post(partner, 0, win);
            MPI_Win_wait(win);
        } else {
            MPI_Win_start(partner, 0, win);
            MPI_Accumulate(&one, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_SUM, win);
            usleep(PAUSE);
            MPI_Win_complete(win);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
        MPI_Win_flush(0, win);
        usleep(PAUSE / 2);
        MPI_Win_unlock(0, win);
        if (rank == 0)
            usleep(PAUSE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    int result = 0;
    MPI_Win_lock_all(0, win);
    MPI_Get(&result, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d\n", result);
    MPI_Group_free(&partner);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
