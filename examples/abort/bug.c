// Heat conduction in a rod of four materials, explicit scheme.
//
// What is wrong: the time step suits the average material. In the third one, which conducts better, the
// scheme is unstable, the solution blows up, and rank 2 ends the whole job with MPI_Abort.
// The fix: choose the time step by the best conductor of all.
//
// ranks: 4
// expect: abort ranks 2

#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { CELLS = 16, STEPS = 4000 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double conductivity[4] = {1.0, 0.8, 5.0, 0.5};
    double all = 0;
    MPI_Allreduce(&conductivity[rank], &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double step = 0.4 / (all / 4);

    double u[CELLS + 2] = {0}, next[CELLS + 2] = {0};
    u[CELLS / 2] = next[CELLS / 2] = 100.0;
    for (int t = 0; t < STEPS; t++) {
        for (int i = 1; i <= CELLS; i++) {
            next[i] = u[i] + step * conductivity[rank] * (u[i - 1] - 2 * u[i] + u[i + 1]);
            if (!isfinite(next[i]))
                MPI_Abort(MPI_COMM_WORLD, 3); //~ abort
        }
        for (int i = 1; i <= CELLS; i++)
            u[i] = next[i];
    }

    double heat = 0, total = 0;
    for (int i = 1; i <= CELLS; i++)
        heat += u[i];
    MPI_Allreduce(&heat, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("heat left: %.3f\n", total);
    MPI_Finalize();
    return 0;
}
