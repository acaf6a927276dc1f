// The limits of a computation are constant, and the program asks mpivet to watch them.
//
// What is wrong: the title of the second step is longer than its array, and its end overwrites the first limit.
// The fix: a title that fits.
//
// ranks: 2
// expect: watched-data-changed ranks 0,1

#include <mpi.h>
#include <mpivet.h>
#include <string.h>

static struct {
    char title[16];
    double limits[4];
} setup = {"", {1, 2, 3, 4}};

static void set_title(int step)
{
    strcpy(setup.title, step == 0 ? "first step" : "second and last step");
}

int main(int argc, char **argv)
{
    double sum;
    MPI_Init(&argc, &argv);
    mpivet_watch("limits", setup.limits, sizeof setup.limits);
    mpivet_region_begin("steps");
    for (int step = 0; step < 2; step++) {
        MPI_Barrier(MPI_COMM_WORLD); //~ watched-data-changed
        set_title(step);
        MPI_Allreduce(&setup.limits[3], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); //~ watched-data-changed
    }
    mpivet_region_end("steps");
    mpivet_dump("limits", setup.limits, 4, MPI_DOUBLE);
    mpivet_unwatch("limits");
    setup.limits[0] = sum;
    MPI_Finalize();
    return 0;
}
