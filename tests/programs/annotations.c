// Says things to mpivet at all times, before MPI_Init and after MPI_Finalize too, and prints what it computes.

#include <mpi.h>
#include <mpivet.h>
#include <stdio.h>

static double large[200000];
static char text[100000];

int main(int argc, char **argv)
{
    int numbers[3] = {1, -2, 3}, rank, sum;
    mpivet_region_begin("too early");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Pcontrol(1);
    MPI_Pcontrol(7, "something of another tool");
    mpivet_region_begin("outer");
    mpivet_region_begin("inner \"quoted\"");
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    mpivet_region_end("inner \"quoted\"");
    mpivet_dump("numbers", numbers, 3, MPI_INT);
    mpivet_dump("large", large, sizeof large / sizeof large[0], MPI_DOUBLE);
    mpivet_dump("nothing", NULL, 10, MPI_INT);
    mpivet_watch("text", text, sizeof text);
    mpivet_watch("nowhere", (void *)16, 8);
    text[70000] = 'x';
    MPI_Barrier(MPI_COMM_WORLD);
    mpivet_unwatch("text");
    text[70000] = 'y';
    MPI_Barrier(MPI_COMM_WORLD);
    mpivet_region_end("outer");
    MPI_Finalize();
    mpivet_region_begin("too late");
    printf("%d\n", sum);
    return 0;
}
