// The limits of a computation are constant, and the program asks mpivet to watch them.
//
// Correct: the titles fit, and the limits change only when they are watched no more.
//
// ranks: 2

#include <mpi.h>
#include <mpivet.h>
#include <string.h>

static struct {
    char title[16];
    double limits[4];
} setup = {"", {1, 2, 3, 4}};

static void set_title(int step)
{
    strcpy(setup.title, step == 0 ? "first step" : "last step");
}

int main(int argc, char **argv)
{
    double sum;
    MPI_Init(&argc, &argv);
    mpivet_watch("limits", setup.limits, sizeof setup.limits);
    mpivet_region_begin("steps");
    for (int step = 0; step < 2; step++) {
        MPI_Barrier(MPI_COMM_WORLD);
        set_title(step);
        MPI_Allreduce(&setup.limits[3], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    mpivet_region_end("steps");
    mpivet_dump("limits", setup.limits, 4, MPI_DOUBLE);
    mpivet_unwatch("limits");
    setup.limits[0] = sum;
    MPI_Finalize();
    return 0;
}
