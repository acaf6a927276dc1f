// Six ranks in a ring: each does one thing with the window that it shares with the next rank and another one with the
// window that it shares with the rank before it: every way of one-sided synchronisation that waits.
//
// What is wrong: all begin with what they need the next rank for: that it enters the fence, exposes its memory, ends its
// accesses, or gives back the lock of its own memory.
// The fix: rank 0 begins with what rank 5 needs.
//
// ranks: 6
// timeout: 60
// expect: real-deadlock ranks 0,1,2,3,4,5

#include <mpi.h>
#include <stdio.h>

enum { RANKS = 6, TAG = 2 };

static MPI_Win windows[RANKS]; /* by the first of the two ranks that share it */
static int got;

/* `first` is rank 0 of its window, the next rank is rank 1. */
static void need(int first)
{
    const MPI_Win window = windows[first];
    MPI_Group all, other;
    MPI_Request request;
    MPI_Win_get_group(window, &all);
    MPI_Group_incl(all, 1, (int[]){1}, &other);
    switch (first) {
    case 0:
        MPI_Win_fence(0, window); //~ real-deadlock
        break;
    case 1:
        MPI_Win_start(other, 0, window);
        MPI_Win_complete(window);
        break;
    case 2:
        MPI_Win_post(other, 0, window);
        MPI_Win_wait(window); //~ real-deadlock
        break;
    case 3:
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        MPI_Rget(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, window, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Win_unlock(1, window);
        break;
    case 4:
        MPI_Win_lock_all(0, window);
        MPI_Get(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_flush(1, window);
        MPI_Win_unlock_all(window);
        break;
    default:
        MPI_Recv(&got, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ real-deadlock
    }
    MPI_Group_free(&other);
    MPI_Group_free(&all);
}

static void help(int first)
{
    const MPI_Win window = windows[first];
    MPI_Group all, other;
    MPI_Win_get_group(window, &all);
    MPI_Group_incl(all, 1, (int[]){0}, &other);
    switch (first) {
    case 0:
        MPI_Win_fence(0, window);
        break;
    case 1:
        MPI_Win_post(other, 0, window);
        MPI_Win_wait(window);
        break;
    case 2:
        MPI_Win_start(other, 0, window);
        MPI_Win_complete(window);
        break;
    case 3:
    case 4:
        MPI_Win_unlock(1, window);
        break;
    default:
        MPI_Send(&got, 1, MPI_INT, 5, TAG, MPI_COMM_WORLD);
    }
    MPI_Group_free(&other);
    MPI_Group_free(&all);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, *memory;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int before = (rank + RANKS - 1) % RANKS;
    MPI_Comm pairs[2];
    for (int odd = 0; odd < 2; odd++)
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2 == odd ? rank : before, rank % 2 != odd, &pairs[odd]);
    /* one after the other: Open MPI 4.1 takes windows of different ranks for one if they are made at once */
    for (int first = 0; first < RANKS; first++) {
        if (rank == first || before == first) {
            MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, pairs[first % 2], &memory, &windows[first]);
            *memory = rank;
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 4 || rank == 5)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, windows[before]);
    MPI_Barrier(MPI_COMM_WORLD);
    need(rank);
    help(before);
    for (int odd = 0; odd < 2; odd++) {
        MPI_Win_free(&windows[rank % 2 == odd ? rank : before]);
        MPI_Comm_free(&pairs[odd]);
    }
    if (rank == 4)
        printf("the value of rank 5 is %d\n", got);
    MPI_Finalize();
    return 0;
}
