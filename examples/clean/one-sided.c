// One-sided communication: fences, locks, and general active target synchronization.
//
// Correct: accesses lie in epochs, and concurrent ones touch different places or are accumulations.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

enum { N = 8 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;

    int memory[N] = {0}, mine[2] = {10 * rank, 10 * rank + 1}, got = -1, old = -1;
    MPI_Win window;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);

    MPI_Win_fence(0, window);
    MPI_Put(mine, 2, MPI_INT, right, 0, 2, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Get(&got, 1, MPI_INT, left, 1, 1, MPI_INT, window);
    MPI_Accumulate(&rank, 1, MPI_INT, 0, 4, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);

    for (int i = 0; i < 5; i++) { /* a counter on the last rank */
        int one = 1;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, size - 1, 0, window);
        MPI_Fetch_and_op(&one, &old, MPI_INT, size - 1, 5, MPI_SUM, window);
        MPI_Win_unlock(size - 1, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    int counter;
    MPI_Win_lock_all(0, window);
    MPI_Get(&counter, 1, MPI_INT, size - 1, 5, 1, MPI_INT, window);
    MPI_Win_flush(size - 1, window);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);

    /* rank 0 exposes its memory to ranks 1 and 2 only */
    MPI_Group world, origins, target;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, (int[]){1, 2}, &origins);
    MPI_Group_incl(world, 1, (int[]){0}, &target);
    if (rank == 0) {
        MPI_Win_post(origins, 0, window);
        MPI_Win_wait(window);
    } else if (rank <= 2) {
        MPI_Win_start(target, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 0, 5 + rank, 1, MPI_INT, window);
        MPI_Win_complete(window);
    }
    MPI_Group_free(&world);
    MPI_Group_free(&origins);
    MPI_Group_free(&target);
    MPI_Win_free(&window);

    printf("rank %d: %d %d, got %d, counted %d, sum %d, posted %d %d\n", rank, memory[0], memory[1], got,
           counter, memory[4], memory[6], memory[7]);
    MPI_Finalize();
    return 0;
}
