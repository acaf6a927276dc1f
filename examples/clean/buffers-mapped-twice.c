// Buffers in memory of every origin: a shared mapping, one file mapped twice, a shared window, MPI_Alloc_mem, the
// stack of a function that has returned, thread-local memory.
//
// Correct: any memory of the process may be a buffer as long as the operation is pending (MPI 4.1, 3.2.2 and 9.2);
// disjoint parts of a page stay disjoint however it is mapped.
//
// ranks: 2

#define _GNU_SOURCE
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

enum { N = 512 };

static _Thread_local int local[N];

/* sends and receives N integers at the same time */
static void exchange(int *out, int *in, int rank)
{
    MPI_Request requests[2];
    for (int i = 0; i < N; i++)
        out[i] = i + 1000 * rank;
    MPI_Irecv(in, N, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, N, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static int check(const int *in, int rank)
{
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += in[i] != i + 1000 * (1 - rank);
    return wrong;
}

__attribute__((noinline)) static int on_stack(int rank)
{
    int out[N], in[N];
    exchange(out, in, rank);
    return check(in, rank);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0;
    const size_t bytes = 2 * N * sizeof(int);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    exchange(shared, shared + N, rank);
    wrong += check(shared + N, rank);
    munmap(shared, bytes);

    int file = memfd_create("buffer", 0);
    wrong += ftruncate(file, (off_t)bytes) != 0;
    int *first = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    int *second = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    exchange(first, second + N, rank);
    wrong += check(first + N, rank) + (second[7] != 7 + 1000 * rank);
    munmap(first, bytes);
    munmap(second, bytes);
    close(file);

    MPI_Win window;
    int *of_window, *of_mpi;
    MPI_Win_allocate_shared((MPI_Aint)bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &of_window, &window);
    exchange(of_window, of_window + N, rank);
    wrong += check(of_window + N, rank);
    MPI_Win_free(&window);
    MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &of_mpi);
    exchange(of_mpi + N, of_mpi, rank);
    wrong += check(of_mpi, rank);
    MPI_Free_mem(of_mpi);

    for (int i = 0; i < 3; i++)
        wrong += on_stack(rank);
    int in[N];
    exchange(local, in, rank);
    wrong += check(in, rank);
    MPI_Finalize();
    return wrong != 0;
}
