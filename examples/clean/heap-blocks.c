// Buffers in blocks of the heap that are all right: whole blocks, parts of them, several at once, blocks that moved, grew or
// came back; whatever function allocated them.
//
// ranks: 2
// options: --heap

#define _GNU_SOURCE
#include <malloc.h>
#include <mpi.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank;

// Bytes from one process to the other.
static void pass(void *from, int count, MPI_Datatype type)
{
    if (rank == 0)
        MPI_Send(from, count, type, 1, 7, MPI_COMM_WORLD);
    else
        MPI_Recv(from, count, type, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void each_function(void)
{
    void *blocks[8] = {malloc(1000), calloc(10, 100), realloc(NULL, 1000), reallocarray(NULL, 10, 100),
                       memalign(256, 1000), aligned_alloc(64, 1024), valloc(1000), NULL};
    if (posix_memalign(&blocks[7], 4096, 1000) != 0)
        abort();
    for (int i = 0; i < 8; i++) {
        memset(blocks[i], i, 1000);
        pass(blocks[i], 1000, MPI_BYTE);
        pass((char *)blocks[i] + 500, 500, MPI_BYTE);
        pass((char *)blocks[i] + 1000, 0, MPI_BYTE);
        free(blocks[i]);
    }
}

static void changed_blocks(void)
{
    char *block = malloc(24);
    for (int size = 24; size < 3000000; size *= 3) {
        block = realloc(block, size);
        memset(block, 1, size);
        pass(block, size, MPI_BYTE);
    }
    block = realloc(block, 10);
    pass(block, 10, MPI_BYTE);
    // The program may use what the allocator tells it of.
    int usable = (int)malloc_usable_size(block);
    memset(block, 1, usable);
    pass(block, usable, MPI_BYTE);
    free(block);
    // Small blocks whose memory comes to lie in a large one.
    static char *small[4000];
    for (int i = 0; i < 4000; i++)
        small[i] = malloc(40);
    for (int i = 0; i < 4000; i++)
        free(small[i]);
    char *large = calloc(1, 100000);
    pass(large, 100000, MPI_BYTE);
    free(large);
}

// A datatype may name several blocks, by their addresses or from the first of them on.
static void several_blocks(void)
{
    double *a = calloc(4, sizeof *a), *b = calloc(100, sizeof *b);
    int lengths[2] = {4, 100};
    MPI_Aint places[2];
    MPI_Get_address(a, &places[0]);
    MPI_Get_address(b, &places[1]);
    MPI_Datatype both, from_first;
    MPI_Type_create_hindexed(2, lengths, places, MPI_DOUBLE, &both);
    places[1] = MPI_Aint_diff(places[1], places[0]);
    places[0] = 0;
    MPI_Type_create_hindexed(2, lengths, places, MPI_DOUBLE, &from_first);
    MPI_Type_commit(&both);
    MPI_Type_commit(&from_first);
    pass(MPI_BOTTOM, 1, both);
    pass(a, 1, from_first);
    MPI_Type_free(&both);
    MPI_Type_free(&from_first);
    free(a);
    free(b);
}

// The last column of a matrix, backwards, and elements whose extent is longer than their data.
static void parts_of_blocks(void)
{
    enum { ROWS = 30, COLUMNS = 7 };
    double *matrix = calloc(ROWS * COLUMNS, sizeof *matrix);
    MPI_Datatype column, upwards, padded;
    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &column);
    MPI_Type_vector(ROWS, 1, -COLUMNS, MPI_DOUBLE, &upwards);
    MPI_Type_create_resized(MPI_DOUBLE, 0, COLUMNS * sizeof(double), &padded);
    MPI_Type_commit(&column);
    MPI_Type_commit(&upwards);
    MPI_Type_commit(&padded);
    pass(matrix + COLUMNS - 1, 1, column);
    pass(matrix + ROWS * COLUMNS - 1, 1, upwards);
    pass(matrix + COLUMNS - 1, ROWS, padded);
    MPI_Type_free(&column);
    MPI_Type_free(&upwards);
    MPI_Type_free(&padded);
    free(matrix);
}

// Roots and others, MPI_IN_PLACE, nobody, and counts that mean nothing here.
static void collectives(void)
{
    int *one = calloc(1, sizeof *one), *two = calloc(2, sizeof *two);
    MPI_Gather(one, 1, MPI_INT, rank == 0 ? two : one, rank == 0 ? 1 : 1000, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 1000, MPI_INT, two, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(two, 1, MPI_INT, (int[2]){0}, 1, MPI_INT, MPI_COMM_WORLD);
    // Whoever sends nothing may have a place that is nowhere.
    int counts[2] = {2, 0}, places[2] = {0, 1 << 20};
    MPI_Gatherv(two, 0, MPI_INT, two, (int[2]){0, 0}, places, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatterv(two, counts, places, MPI_INT, MPI_IN_PLACE, 2, MPI_INT, 0, MPI_COMM_SELF);
    MPI_Send(one, 1000, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv(one, 1000, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(one);
    free(two);
}

static void *allocate(void *blocks)
{
    for (int i = 0; i < 2000; i++) {
        char *block = malloc(1 + i % 700);
        ((char **)blocks)[i % 10] = block;
        if (i >= 10 || i % 10 != i)
            free(block), ((char **)blocks)[i % 10] = NULL;
    }
    return NULL;
}

static void threads_and_children(void)
{
    pthread_t threads[4];
    char *blocks[4][10] = {{NULL}};
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, allocate, blocks[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 40; i++)
        free(blocks[i / 10][i % 10]);
    pid_t child = fork();
    if (child == 0) {
        void *block = realloc(malloc(100), 100000);
        free(block);
        _exit(block == NULL);
    }
    int status;
    if (waitpid(child, &status, 0) != child || status != 0)
        puts("the child failed");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    each_function();
    changed_blocks();
    several_blocks();
    parts_of_blocks();
    collectives();
    threads_and_children();

    // Of MPI_Alloc_mem, and what it gives may be freed and come again.
    for (int size = 16; size < 100000; size *= 5) {
        char *memory;
        MPI_Alloc_mem(size, MPI_INFO_NULL, &memory);
        memset(memory, 0, size);
        pass(memory, size, MPI_BYTE);
        MPI_Free_mem(memory);
    }
    MPI_Finalize();
    return 0;
}
