// So many of a thing at once: requests that are pending, communicators, or datatypes. Says how long a call took in the
// first and in the last tenth, in nanoseconds of processor time, and how much memory the process has in kB.
// Usage: plenty requests | datatypes | communicators COUNT
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * t.tv_sec + t.tv_nsec;
}

static double first, last;

// To be called when `i` of `count` calls were made.
static void note(int i, int count)
{
    static double start;
    int tenth = count / 10;
    if (i == 0 || i == count - tenth)
        start = now();
    if (i == tenth)
        first = (now() - start) / tenth;
    if (i == count)
        last = (now() - start) / tenth;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "requests";
    int count = argc > 2 ? atoi(argv[2]) : 1000;
    MPI_Init(&argc, &argv);
    if (!strcmp(what, "requests")) {
        int *data = calloc(count, sizeof *data);
        MPI_Request *all = malloc(count * sizeof *all);
        for (int i = 0; i < count; i++) {
            note(i, count);
            MPI_Irecv(&data[i], 1, MPI_INT, 0, 0, MPI_COMM_SELF, &all[i]);
        }
        note(count, count);
        for (int i = 0; i < count; i++)
            MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
        // One by one and all together, from both ends.
        for (int i = 0; i < count / 2; i++)
            MPI_Wait(&all[i], MPI_STATUS_IGNORE);
        MPI_Waitall(count - count / 2, all + count / 2, MPI_STATUSES_IGNORE);
        for (int i = 0; i < count; i++)
            if (data[i] != i)
                return 3;
        free(all);
        free(data);
    } else if (!strcmp(what, "datatypes")) {
        MPI_Datatype *all = malloc(count * sizeof *all);
        int data[2] = {1, 2}, room[2];
        for (int i = 0; i < count; i++) {
            note(i, count);
            MPI_Type_contiguous(2, MPI_INT, &all[i]);
            MPI_Type_commit(&all[i]);
            MPI_Sendrecv(data, 1, all[i], 0, 0, room, 1, all[i], 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        }
        note(count, count);
        for (int i = 0; i < count; i++)
            MPI_Type_free(&all[i]);
        free(all);
    } else {
        MPI_Comm *all = malloc(count * sizeof *all);
        for (int i = 0; i < count; i++) {
            note(i, count);
            MPI_Comm_dup(MPI_COMM_SELF, &all[i]);
            MPI_Barrier(all[i]);
        }
        note(count, count);
        for (int i = 0; i < count; i++)
            MPI_Comm_free(&all[i]);
        free(all);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%.0f %.0f %ld\n", first, last, usage.ru_maxrss);
    MPI_Finalize();
    return 0;
}
