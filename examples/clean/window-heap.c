// Windows of memory from malloc: of blocks that were in use before, of a part of a block, of a block that grows and shrinks
// where it is, of what a pool hands out of a block, and of memory that is detached before it is freed.
//
// Correct: all of it is there until its window is gone, whatever happens to the memory around it (MPI 4.1, 12.2.1, 12.2.4).
//
// ranks: 2

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 6, POOL = 1 << 16, ITEM = 256 };

// A pool that keeps in each item it has back a link to the next one, and what looks like a header before each.
struct pool {
    char *memory, *next;
    size_t used;
};

static void *take(struct pool *pool)
{
    char *item = pool->next;
    if (item != NULL) {
        memcpy(&pool->next, item, sizeof pool->next);
        return item;
    }
    item = pool->memory + pool->used + 16;
    size_t header = (ITEM + 16) | 1;
    memcpy(item - sizeof header, &header, sizeof header);
    pool->used += ITEM + 16;
    return item;
}

static void put_back(struct pool *pool, void *item)
{
    memcpy(item, &pool->next, sizeof pool->next);
    pool->next = item;
}

static void use(MPI_Win win, int rank)
{
    int seen = 0;
    MPI_Win_fence(0, win);
    MPI_Get(&seen, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

static void expose(void *memory, MPI_Aint size, MPI_Win *win)
{
    MPI_Win_create(memory, size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win);
}

// Blocks of many sizes, each used for the second time, between others that are freed while the windows are there.
static void blocks(int rank)
{
    static const size_t sizes[SIZES] = {24, 256, 1032, 5000, 65536, 1 << 20};
    char *around[2 * SIZES], *memory[SIZES];
    MPI_Win win[SIZES];
    for (int i = 0; i < SIZES; i++) {
        free(malloc(sizes[i]));
        around[2 * i] = malloc(sizes[i]);
        memory[i] = calloc(1, sizes[i]);
        around[2 * i + 1] = malloc(sizes[i]);
        expose(memory[i], (MPI_Aint)(i % 2 == 0 ? sizes[i] : sizes[i] / 2), &win[i]);
    }
    for (int i = 0; i < 2 * SIZES; i++)
        free(around[i]);
    for (int i = 0; i < SIZES; i++) {
        use(win[i], rank);
        MPI_Win_free(&win[i]);
        free(memory[i]);
    }
}

// The window is of the first part of a block, which the others are taken from and given back to.
static void sizes(int rank)
{
    MPI_Win win;
    char *memory = calloc(1, 60000), *before = memory;
    expose(memory, 1000, &win);
    memory = realloc(memory, 3000);
    use(win, rank);
    memory = realloc(memory, 20000);
    use(win, rank);
    MPI_Win_free(&win);
    // Where it was moved, its window would have lost it: no library does so with a block that was as large.
    if (memory != before)
        MPI_Abort(MPI_COMM_WORLD, 1);
    free(memory);
}

static void items(int rank)
{
    MPI_Win win[4];
    struct pool pool = {.memory = calloc(1, POOL)};
    void *item[8];
    for (int i = 0; i < 8; i++)
        item[i] = take(&pool);
    for (int i = 0; i < 4; i++)
        expose(item[2 * i], ITEM, &win[i]);
    for (int i = 1; i < 8; i += 2)
        put_back(&pool, item[i]);
    for (int i = 0; i < 4; i++) {
        use(win[i], rank);
        MPI_Win_free(&win[i]);
        put_back(&pool, item[2 * i]);
    }
    free(pool.memory);
}

static void attached(int rank)
{
    MPI_Win win;
    char *memory[20], *more = calloc(1, 256);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 20; i++) {
            memory[i] = calloc(1, 100 * (i + 1));
            MPI_Win_attach(win, memory[i], 100 * (i + 1));
        }
        MPI_Win_fence(0, win);
        for (int i = 0; i < 20; i++) {
            MPI_Win_detach(win, memory[i]);
            free(memory[i]);
        }
    }
    MPI_Win_attach(win, more, 256);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    free(more);
    (void)rank;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    blocks(rank);
    sizes(rank);
    items(rank);
    attached(rank);
    MPI_Finalize();
    return 0;
}
