// Accesses to windows in every kind of epoch: neighbours that write beside each other, columns between each other, counters that
// all update, buffers that are used again as soon as that is allowed.
//
// Correct: whatever meets in one epoch is either apart or atomic.
//
// ranks: 3

#include <mpi.h>
#include <stdlib.h>

enum { N = 8 };

static int rank, size;

static void fences(MPI_Win win)
{
    int mine[N], got[N];
    MPI_Datatype column;
    MPI_Type_vector(N / 2, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < N; i++)
        mine[i] = rank;
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    // Ranks 0 and 1 write the even and the odd cells of rank 2; everybody writes to nobody, and nothing to everybody.
    if (rank < 2)
        MPI_Put(mine, N / 2, MPI_INT, 2, rank, 1, column, win);
    MPI_Put(mine, N, MPI_INT, MPI_PROC_NULL, 0, N, MPI_INT, win);
    MPI_Put(mine, 0, MPI_INT, 0, N, 0, MPI_INT, win);
    MPI_Win_fence(0, win);
    // All read the same, and all add to the same.
    MPI_Get(got, N, MPI_INT, 2, 0, N, MPI_INT, win);
    MPI_Accumulate(mine, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Accumulate(mine, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    // One origin's accumulates are in order, whatever their operations.
    if (rank == 1) {
        MPI_Accumulate(mine, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_MAX, win);
        MPI_Accumulate(mine, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Type_free(&column);
}

static void start_and_post(MPI_Win win)
{
    MPI_Group world, left, right;
    int before = (rank + size - 1) % size, behind = (rank + 1) % size, mine = rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &before, &left);
    MPI_Group_incl(world, 1, &behind, &right);
    for (int i = 0; i < 3; i++) {
        MPI_Win_post(left, 0, win);
        MPI_Win_start(right, 0, win);
        MPI_Put(&mine, 1, MPI_INT, behind, i % 2, 1, MPI_INT, win);
        MPI_Win_complete(win);
        mine++;
        int over = 0;
        while (!over)
            MPI_Win_test(win, &over);
    }
    MPI_Group_free(&left);
    MPI_Group_free(&right);
    MPI_Group_free(&world);
}

static void locks(MPI_Win win)
{
    int one = 1, two = 2, ticket, seen = -1;
    MPI_Request request;
    // Fences as separators, with locks between them.
    MPI_Win_fence(0, win);
    for (int i = 0; i < 3; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, i % size, 0, win);
        MPI_Put(&one, 1, MPI_INT, i % size, 3, 1, MPI_INT, win);
        MPI_Win_flush(i % size, win);
        MPI_Get(&seen, 1, MPI_INT, i % size, 3, 1, MPI_INT, win);
        MPI_Win_flush_local(i % size, win);
        one = seen + 1;
        MPI_Win_unlock(i % size, win);
    }
    MPI_Win_fence(0, win);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 4, MPI_SUM, win);
    MPI_Fetch_and_op(&one, &seen, MPI_INT, 1, 4, MPI_SUM, win);
    MPI_Win_unlock(1, win);
    two = seen;
    MPI_Win_flush_all(win);
    MPI_Compare_and_swap(&one, &two, &ticket, MPI_INT, 0, 4, win);
    MPI_Win_unlock(0, win);

    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    for (int i = 0; i < 3; i++) {
        int cell = 10 * i + rank;
        MPI_Rput(&cell, 1, MPI_INT, rank, 5, 1, MPI_INT, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        cell = -1;
        MPI_Win_flush(rank, win);
        MPI_Rget(&cell, 1, MPI_INT, rank, 5, 1, MPI_INT, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        cell++;
        MPI_Raccumulate(&cell, 1, MPI_INT, 0, 6, 1, MPI_INT, MPI_SUM, win, &request);
        MPI_Win_flush_local_all(win);
        cell = 7;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Get_accumulate(NULL, 0, MPI_INT, &cell, 1, MPI_INT, 0, 6, 1, MPI_INT, MPI_NO_OP, win);
        MPI_Win_flush_all(win);
    }
    MPI_Win_unlock_all(win);
}

int main(int argc, char **argv)
{
    int *memory, *own = malloc(N * sizeof *own);
    MPI_Aint address, addresses[3];
    MPI_Win win, dynamic, shared;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < N; i++)
        own[i] = i;
    MPI_Win_create(own, N * sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    fences(win);
    start_and_post(win);
    locks(win);
    MPI_Win_free(&win);

    // Each in its own part of the memory that rank 0 has attached.
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
    MPI_Win_attach(dynamic, own, N * sizeof *own);
    MPI_Get_address(own, &address);
    MPI_Allgather(&address, 1, MPI_AINT, addresses, 1, MPI_AINT, MPI_COMM_WORLD);
    MPI_Win_fence(0, dynamic);
    MPI_Put(&rank, 1, MPI_INT, 0, MPI_Aint_add(addresses[0], rank * sizeof(int)), 1, MPI_INT, dynamic);
    MPI_Win_fence(0, dynamic);
    MPI_Win_detach(dynamic, own);
    MPI_Win_free(&dynamic);

    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &shared);
    MPI_Win_lock_all(0, shared);
    *memory = rank;
    MPI_Win_sync(shared);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(shared);
    MPI_Win_unlock_all(shared);
    MPI_Win_free(&shared);
    MPI_Finalize();
    free(own);
    return 0;
}
