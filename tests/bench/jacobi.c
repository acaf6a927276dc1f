// The price of --precise and --heap for a solver: docs/benchmarks.md. Jacobi's method on a square of SIZE by SIZE points, in bands
// of rows or of columns, one for each process. They exchange the edges of their bands and compute what is inside meanwhile.
//
//   jacobi rows|columns|window [SIZE [ROUNDS]]
//
// rows: MPI_Irecv and MPI_Isend of rows, which lie together. columns: of columns, by MPI_Type_vector. window: rows by MPI_Put
// between fences into memory of MPI_Win_allocate. Prints the sum of all points, which must be the same whatever watches, and how
// long it took: seconds of the clock, and of the processor for all processes, which includes waiting by polls.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Tags say which way an edge goes.
enum { TO_LATER, TO_EARLIER };

static double processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// New values of the points (first, left) to (last, right), without the latter.
static void sweep(double *to, const double *from, int width, int first, int last, int left, int right)
{
    for (int row = first; row < last; row++)
        for (int column = left; column < right; column++) {
            int at = row * width + column;
            to[at] = 0.25 * (from[at - width] + from[at + width] + from[at - 1] + from[at + 1]);
        }
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *mode = argc > 1 ? argv[1] : "rows";
    int all = argc > 2 ? atoi(argv[2]) : 1024, rounds = argc > 3 ? atoi(argv[3]) : 500;
    int is_window = !strcmp(mode, "window"), by_columns = !strcmp(mode, "columns");
    int share = all / size;
    int height = (by_columns ? all : share) + 2, width = (by_columns ? share : all) + 2;
    int earlier = rank > 0 ? rank - 1 : MPI_PROC_NULL, later = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    size_t points = (size_t)height * (size_t)width;

    double *grid[2];
    MPI_Win windows[2];
    for (int i = 0; i < 2; i++) {
        if (is_window)
            MPI_Win_allocate((MPI_Aint)(points * sizeof(double)), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                             &grid[i], &windows[i]);
        else if (!(grid[i] = malloc(points * sizeof(double))))
            MPI_Abort(MPI_COMM_WORLD, 1);
        for (size_t at = 0; at < points; at++)
            grid[i][at] = (double)((at + (size_t)rank) % 7);
    }
    // An edge, and how far the next one inside is.
    MPI_Datatype edge;
    if (by_columns)
        MPI_Type_vector(height, 1, width, MPI_DOUBLE, &edge);
    else
        MPI_Type_contiguous(width, MPI_DOUBLE, &edge);
    MPI_Type_commit(&edge);
    int step = by_columns ? 1 : width, edges = by_columns ? width : height;
    int bottom = height - 1, right = width - 1;

    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime(), busy = processor_time();
    for (int round = 0; round < rounds; round++) {
        double *from = grid[round % 2], *to = grid[1 - round % 2];
        double *first = from + step, *last = from + (edges - 2) * step, *beyond = from + (edges - 1) * step;
        if (is_window) {
            // The neighbours have computed theirs.
            MPI_Win_fence(0, windows[round % 2]);
            MPI_Put(first, 1, edge, earlier, (edges - 1) * step, 1, edge, windows[round % 2]);
            MPI_Put(last, 1, edge, later, 0, 1, edge, windows[round % 2]);
            sweep(to, from, width, 2, bottom - 1, 1, right);
            MPI_Win_fence(0, windows[round % 2]);
            sweep(to, from, width, 1, 2, 1, right);
            sweep(to, from, width, bottom - 1, bottom, 1, right);
            continue;
        }
        MPI_Request requests[4];
        MPI_Irecv(from, 1, edge, earlier, TO_LATER, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(beyond, 1, edge, later, TO_EARLIER, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(first, 1, edge, earlier, TO_EARLIER, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(last, 1, edge, later, TO_LATER, MPI_COMM_WORLD, &requests[3]);
        if (by_columns)
            sweep(to, from, width, 1, bottom, 2, right - 1);
        else
            sweep(to, from, width, 2, bottom - 1, 1, right);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        if (by_columns) {
            sweep(to, from, width, 1, bottom, 1, 2);
            sweep(to, from, width, 1, bottom, right - 1, right);
        } else {
            sweep(to, from, width, 1, 2, 1, right);
            sweep(to, from, width, bottom - 1, bottom, 1, right);
        }
    }
    double mine[3] = {0, processor_time() - busy, MPI_Wtime() - begin}, sum[3];
    for (int row = 1; row < bottom; row++)
        for (int column = 1; column < right; column++)
            mine[0] += grid[rounds % 2][row * width + column];
    MPI_Reduce(mine, sum, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: sum %.9g, %.3f s, %.3f s of processors\n", mode, sum[0], sum[2] / size, sum[1]);

    MPI_Type_free(&edge);
    for (int i = 0; i < 2; i++) {
        if (is_window)
            MPI_Win_free(&windows[i]);
        else
            free(grid[i]);
    }
    MPI_Finalize();
    return 0;
}
