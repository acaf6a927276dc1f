// Two ranks put values into each other's window in epochs of all kinds, and use their own memory meanwhile; the program says how
// many of its loads and stores are wrong. For tests/tests/local_races.rs. Arguments: the seed, and the number of rounds.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 64, SLOT = 64, PUTS = 4, TOUCHES = 6 };

static _Alignas(4096) int fixed[SLOTS * SLOT];
static int *own;
static volatile int sink;
static long wrong;

static unsigned next(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return *state >> 16 & 0x7fff;
}

static __attribute__((noinline)) void right_store(volatile int *at)
{
    *at = 1;
}

static __attribute__((noinline)) void right_load(volatile int *at)
{
    sink = *at;
}

static __attribute__((noinline)) void wrong_store(volatile int *at)
{
    *at = 2; /* a wrong store */
    wrong++;
}

static __attribute__((noinline)) void wrong_load(volatile int *at)
{
    sink = *at; /* a wrong load */
    wrong++;
}

// Uses own memory while the slots of `puts` are written by the other process. A lock of its own makes stores right.
static void touch(unsigned *state, const int *puts, int is_polling, int is_locked)
{
    int is_touched[PUTS] = {0};
    for (int i = 0; i < TOUCHES; i++) {
        int kind = (int)(next(state) % 4), nth = (int)(next(state) % PUTS), slot = (int)(next(state) % SLOTS);
        int is_put = 0;
        for (int p = 0; p < PUTS; p++)
            is_put |= puts[p] == slot;
        int *at = own + slot * SLOT, *hit = own + puts[nth] * SLOT;
        switch (kind) {
        case 0:
            if (!is_put)
                right_store(at);
            break;
        case 1:
            if (!is_put)
                right_load(at);
            break;
        case 2:
            if (is_locked)
                right_store(hit);
            else if (!is_touched[nth]++)
                wrong_store(hit);
            break;
        default:
            if (is_polling)
                right_load(hit);
            else if (!is_touched[nth]++)
                wrong_load(hit);
        }
    }
}

int main(int argc, char **argv)
{
    unsigned shared = argc > 1 ? (unsigned)atoi(argv[1]) : 1, mine;
    int rounds = argc > 2 ? atoi(argv[2]) : 40, rank, other, value = 3;
    long all[2];
    MPI_Group world, group;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    mine = shared * 7 + (unsigned)rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &group);
    MPI_Aint bytes = SLOTS * SLOT * (MPI_Aint)sizeof *own;
    if (shared % 2) {
        MPI_Win_allocate(bytes, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &win);
    } else {
        own = shared % 4 ? aligned_alloc(4096, (size_t)bytes) : fixed;
        MPI_Win_create(own, bytes, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    }
    for (int round = 0; round < rounds; round++) {
        int kind = (int)(next(&shared) % 4), puts[2][PUTS];
        for (int r = 0; r < 2; r++) {
            unsigned first = next(&shared), step = 1 + next(&shared) % 5;
            for (int p = 0; p < PUTS; p++)
                puts[r][p] = (int)((first + step * (unsigned)p) % SLOTS);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (kind == 0) {
            MPI_Win_fence(0, win);
        } else if (kind == 1) {
            MPI_Win_post(group, 0, win);
            MPI_Win_start(group, 0, win);
        } else {
            MPI_Win_lock(kind == 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, other, 0, win);
        }
        for (int p = 0; p < PUTS; p++)
            MPI_Put(&value, 1, MPI_INT, other, puts[other][p] * SLOT, 1, MPI_INT, win);
        if (kind < 2)
            touch(&mine, puts[rank], 0, 0);
        if (kind == 0)
            MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
        if (kind == 1) {
            MPI_Win_complete(win);
            MPI_Win_wait(win);
        }
        if (kind > 1) {
            MPI_Win_unlock(other, win);
            if (kind == 3)
                MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
            touch(&mine, puts[rank], 1, kind == 3);
            if (kind == 3)
                MPI_Win_unlock(rank, win);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        for (int p = 0; p < PUTS; p++) {
            right_store(own + puts[rank][p] * SLOT);
            right_load(own + puts[rank][p] * SLOT);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Gather(&wrong, 1, MPI_LONG, all, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%ld %ld\n", all[0], all[1]);
    MPI_Finalize();
    return 0;
}
