/*
 * Counts how often a process allocates memory: preloaded before mpivet by tests/tests/budgets.rs, and asked by the programs
 * that are counted there. What the C library allocates by names of its own (stacks of threads, say) is not in it.
 */
#include <errno.h>
#include <stddef.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

static long count;

long allocations(void)
{
    return __atomic_load_n(&count, __ATOMIC_RELAXED);
}

static void one(void)
{
    __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
}

void *malloc(size_t size)
{
    one();
    return __libc_malloc(size);
}

void *calloc(size_t of, size_t size)
{
    one();
    return __libc_calloc(of, size);
}

void *realloc(void *old, size_t size)
{
    one();
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size)
{
    one();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    *memory = memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}
