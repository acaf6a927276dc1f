// Makes calls of many kinds until it is killed, and counts them in a file that survives: word 0 is the number of calls begun,
// word 1 of those that have returned. Which call has which number is known from the number alone, as
// tests/tests/crash.rs knows it, too. Usage: killed FILE (the file of rank N is FILE.N)

#include <fcntl.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic long *counts;

#define COUNTED(call)                 \
    do {                              \
        atomic_fetch_add(counts, 1);  \
        call;                         \
        atomic_fetch_add(counts + 1, 1); \
    } while (0)

static void map(const char *name, int rank)
{
    char file[4096];
    snprintf(file, sizeof file, "%s.%d", name, rank);
    int fd = open(file, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, 4096))
        exit(2);
    counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (counts == MAP_FAILED)
        exit(2);
}

static int out, in;

// Eight calls, with a new stack for each depth, so that definitions are written all the time.
static void __attribute__((noinline)) calls(int depth, int peer)
{
    if (depth > 0) {
        calls(depth - 1, peer);
        __asm__ volatile("");
        return;
    }
    int rank;
    MPI_Request requests[2];
    MPI_Datatype type;
    COUNTED(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    COUNTED(MPI_Irecv(&in, 1, MPI_INT, peer, 7, MPI_COMM_WORLD, &requests[0]));
    COUNTED(MPI_Isend(&out, 1, MPI_INT, peer, 7, MPI_COMM_WORLD, &requests[1]));
    COUNTED(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    COUNTED(MPI_Type_contiguous(3, MPI_INT, &type));
    COUNTED(MPI_Type_commit(&type));
    COUNTED(MPI_Type_free(&type));
    COUNTED(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    map(argc > 1 ? argv[1] : "killed", rank);
    for (int round = 0;; round++)
        calls(round % 7 ? 0 : round / 7 % 40, size == 2 ? 1 - rank : rank);
}
