// Windows of memory of the program's own (MPI_Win_create, MPI_Win_attach) under --precise: MPI gets a second view of it, of which
// the program sees nothing.
//
// Correct: other data on the same pages, two windows of one array, addresses that MPI tells, children, and memory that lives longer
// than its window.
//
// ranks: 2
// options: --precise

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LENGTH = 20000, ROW = 512 };

static double fixed[LENGTH + 7], row[ROW], got[ROW];

static double sum(const double *values, long length)
{
    double all = 0;
    for (long i = 0; i < length; i++)
        all += values[i];
    return all;
}

int main(int argc, char **argv)
{
    MPI_Win win, half, counters, loose;
    MPI_Aint there, here;
    void *base;
    int rank, flag, status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *field = malloc(LENGTH * sizeof *field);
    long *beside = calloc(8, sizeof *beside);
    int *count = calloc(1, sizeof *count);
    for (int i = 0; i < LENGTH; i++)
        field[i] = i;
    for (int i = 0; i < ROW; i++)
        row[i] = rank + 10;
    MPI_Win_create(field, LENGTH * sizeof *field, sizeof *field, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_create(field + LENGTH / 2, LENGTH / 2 * sizeof *field, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &half);
    MPI_Win_create(count, sizeof *count, sizeof *count, MPI_INFO_NULL, MPI_COMM_WORLD, &counters);
    MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
    if (!flag || base != field)
        printf("%d: MPI says that the window is elsewhere\n", rank);
    MPI_Win_get_attr(half, MPI_WIN_BASE, &base, &flag);
    if (!flag || base != field + LENGTH / 2)
        printf("%d: MPI says that the second half is elsewhere\n", rank);

    MPI_Win_fence(0, win);
    MPI_Put(row, ROW, MPI_DOUBLE, 1 - rank, 1024, ROW, MPI_DOUBLE, win);
    field[1023] = field[1024 + ROW] = 0;
    beside[0] = rank;
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, half);
    MPI_Get(got, ROW, MPI_DOUBLE, 1 - rank, 8 * ROW, ROW, MPI_DOUBLE, half);
    MPI_Win_fence(0, half);
    printf("%d: %g %g\n", rank, sum(field, LENGTH), sum(got, ROW));

    for (int i = 0, one = 1, old; i < 10; i++) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, counters);
        MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 0, MPI_SUM, counters);
        MPI_Win_unlock(0, counters);
        beside[1]++;
    }
    MPI_Sendrecv(field + 100, ROW, MPI_DOUBLE, 1 - rank, 0, field + 5000, ROW, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD,
        MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d: %d %g\n", rank, rank == 0 ? *count : 20, sum(field, LENGTH));
    fflush(stdout);

    // The child's memory is its own, and that of its parent is not the child's.
    pid_t child = fork();
    if (child == 0) {
        field[0] = 99, beside[2] = 5, *count = 77;
        _exit(field[2] == 2 ? 7 : 8);
    }
    field[2] = 4;
    waitpid(child, &status, 0);
    printf("%d: %d %g %ld %d\n", rank, WEXITSTATUS(status), field[0], beside[2], rank == 0 ? *count : 20);
    MPI_Win_free(&counters);
    MPI_Win_free(&half);
    MPI_Win_free(&win);

    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &loose);
    MPI_Win_attach(loose, fixed, sizeof fixed);
    MPI_Get_address(fixed, &here);
    MPI_Sendrecv(&here, 1, MPI_AINT, 1 - rank, 0, &there, 1, MPI_AINT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock_all(0, loose);
    MPI_Put(row, ROW, MPI_DOUBLE, 1 - rank, there, ROW, MPI_DOUBLE, loose);
    fixed[LENGTH] = 2;
    MPI_Win_unlock_all(loose);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(loose, fixed);
    MPI_Win_free(&loose);

    field = realloc(field, 100 * LENGTH * sizeof *field);
    memset(field + LENGTH, 0, 99 * LENGTH * sizeof *field);
    printf("%d: %g %g\n", rank, sum(field, 100 * LENGTH), sum(fixed, LENGTH + 7));
    free(count);
    free(beside);
    free(field);
    MPI_Finalize();
    return 0;
}
