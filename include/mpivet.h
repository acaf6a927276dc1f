/* What a program can say to mpivet: names of its phases, data to watch, arrays for the trace.
 *
 * There is nothing to link, and nothing happens without mpivet: every function here is a call of MPI_Pcontrol, which MPI
 * has for tools, with a level that MPI libraries do not know and ignore. The functions may be called at any time, by any
 * thread that may call MPI; they have an effect between MPI_Init and MPI_Finalize.
 */
#ifndef MPIVET_H
#define MPIVET_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* A request to mpivet: eight-byte words, the same in C and Fortran. */
struct mpivet_request_ {
    uint64_t magic;
    int64_t action;
    const char *name;
    const void *address;
    int64_t count;
    int64_t datatype;
};

static inline void mpivet_ask_(int64_t action, const char *name, const void *address, int64_t count, int64_t datatype)
{
    int started = 0, over = 0;
    struct mpivet_request_ request;
    MPI_Initialized(&started);
    if (started)
        MPI_Finalized(&over);
    if (!started || over)
        return;
    request.magic = UINT64_C(0x6d70697665740001);
    request.action = action;
    request.name = name;
    request.address = address;
    request.count = count;
    request.datatype = datatype;
    MPI_Pcontrol(0x4d505654, &request);
}

/* A phase of the program begins, or ends. Regions may be nested. */
static inline void mpivet_region_begin(const char *name)
{
    mpivet_ask_(1, name, 0, 0, 0);
}

static inline void mpivet_region_end(const char *name)
{
    mpivet_ask_(2, name, 0, 0, 0);
}

/* From now on these bytes are not to change: mpivet compares them at every MPI call (watched-data-changed). Call
 * mpivet_unwatch before the memory is freed. */
static inline void mpivet_watch(const char *name, const void *address, size_t bytes)
{
    mpivet_ask_(3, name, address, (int64_t)bytes, 0);
}

static inline void mpivet_unwatch(const char *name)
{
    mpivet_ask_(4, name, 0, 0, 0);
}

/* Writes an array to the trace, at most 1 MiB: `mpivet print --dumps` shows it. */
static inline void mpivet_dump(const char *name, const void *address, size_t count, MPI_Datatype datatype)
{
    mpivet_ask_(5, name, address, (int64_t)count, (int64_t)(intptr_t)datatype);
}

#endif
