// Rank 0 sends a field in eight partitions as it fills them; rank 1 works on each half of it as soon as it is there.
//
// What is wrong: rank 0 fills every partition but the fifth. Rank 1 asks for its second half for ever (here until its
// alarm clock ends it), and rank 0 waits for its answer before it looks at what is left.
// The fix: rank 0 fills all partitions.
//
// ranks: 2
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)
// options: --severity no-progress=error
// expect: no-progress ranks 0,1

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { PARTS = 8, HALVES = 2, EACH = 100, ALL = PARTS * EACH };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    static double field[ALL], sum;
    MPI_Request request;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Psend_init(field, PARTS, EACH, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        for (int part = 0; part < PARTS; part++) {
            if (part == 4)
                continue;
            for (int i = 0; i < EACH; i++)
                field[part * EACH + i] = part;
            MPI_Pready(part, request);
        }
        MPI_Recv(&sum, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ no-progress
    } else {
        alarm(3);
        MPI_Precv_init(field, HALVES, ALL / HALVES, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        for (int half = HALVES - 1; half >= 0; half--) {
            int arrived = 0;
            while (!arrived) {
                usleep(1000);
                MPI_Parrived(request, half, &arrived); //~ no-progress
            }
            for (int i = 0; i < ALL / HALVES; i++)
                sum += field[half * ALL / HALVES + i];
        }
        MPI_Send(&sum, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    if (rank == 0)
        printf("the sum is %g\n", sum);
    MPI_Finalize();
    return 0;
}
