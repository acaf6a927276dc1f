/* An allocator that gives each byte once, and a program that sends more than it has of it. With -DLIBRARY the allocator alone,
   for LD_PRELOAD, which says at the end how many blocks it gave. With -DWITHOUT the program alone. */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef WITHOUT
static char memory[512 << 20] __attribute__((aligned(4096)));
static size_t used, blocks;

static void *allocate(size_t alignment, size_t size)
{
    if (alignment < 16)
        alignment = 16;
    size_t room = size + alignment + 16;
    size_t at = __atomic_fetch_add(&used, (room + 15) / 16 * 16, __ATOMIC_RELAXED);
    if (at + room > sizeof memory)
        abort();
    __atomic_fetch_add(&blocks, 1, __ATOMIC_RELAXED);
    size_t start = (at + 16 + alignment - 1) / alignment * alignment;
    memcpy(memory + start - 16, &size, sizeof size);
    return memory + start;
}

void *malloc(size_t size) { return allocate(16, size); }
void *calloc(size_t n, size_t size) { return allocate(16, n * size); }
void *memalign(size_t alignment, size_t size) { return allocate(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return allocate(alignment, size); }
void *valloc(size_t size) { return allocate(4096, size); }
void free(void *block) { (void)block; }

int posix_memalign(void **place, size_t alignment, size_t size)
{
    *place = allocate(alignment, size);
    return 0;
}

void *realloc(void *block, size_t size)
{
    size_t before = 0;
    if (block != NULL)
        memcpy(&before, (char *)block - 16, sizeof before);
    void *new = allocate(16, size);
    if (before > 0)
        memcpy(new, block, before < size ? before : size);
    return new;
}

#ifdef LIBRARY
static void __attribute__((destructor)) at_the_end(void)
{
    if (getenv("OWN_ALLOCATOR_SAYS") != NULL && blocks > 1000)
        dprintf(2, "the allocator gave thousands of blocks\n");
}
#endif
#endif

#ifndef LIBRARY
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2000; i++)
        free(realloc(calloc(1, 10), 20));
    char *block = malloc(1000), received[1008];
    memset(block, 0, 1000);
    if (rank == 0)
        MPI_Send(block, 1001, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(received, 1001, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(block);
    MPI_Finalize();
    return 0;
}
#endif
