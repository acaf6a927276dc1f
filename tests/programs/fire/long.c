// Long arrays, each another one: the process does not grow with their number.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 1000000 };
static int lengths[LENGTH], places[LENGTH];

static long resident(void)
{
    char line[256];
    long kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status))
        if (strncmp(line, "VmRSS:", 6) == 0)
            kilobytes = atol(line + 6);
    fclose(status);
    return kilobytes;
}

static void make(int step)
{
    MPI_Datatype type;
    places[LENGTH - 1] = 2 * LENGTH + step;
    MPI_Type_indexed(LENGTH, lengths, places, MPI_INT, &type);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < LENGTH; i++) {
        lengths[i] = 1;
        places[i] = 2 * i;
    }
    int step = 0;
    for (; step < 8; step++)
        make(step);
    long before = resident();
    for (; step < 20; step++)
        make(step);
    long more = resident() - before;
    if (more < 32768)
        printf("does not grow\n");
    else
        printf("%ld KiB more\n", more);
    MPI_Finalize();
    return 0;
}
