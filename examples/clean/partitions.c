// Partitioned communication with different partitions on both sides, made ready in any order and by every call.
//
// Correct: only the whole amount must agree, not the number of partitions; a partition may be read as soon as
// MPI_Parrived says so (MPI 4.1, 4.2). Between the rounds the request is inactive and the buffer is the program's.
//
// ranks: 2
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)

#include <mpi.h>

enum { OUT = 8, EACH_OUT = 30, IN = 4, EACH_IN = 60, TOTAL = OUT * EACH_OUT };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0;
    static double data[TOTAL];
    MPI_Request request;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Psend_init(data, OUT, EACH_OUT, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(data, IN, EACH_IN, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < TOTAL; i++)
            data[i] = -1;
        MPI_Start(&request);
        if (rank == 0) {
            for (int i = 0; i < TOTAL; i++) /* a partition may be written until it is ready */
                data[i] = i + round;
            MPI_Pready_range(2, 4, request);
            MPI_Pready_list(3, (int[]){7, 0, 6}, request);
            MPI_Pready(5, request);
            MPI_Pready(1, request);
        } else {
            for (int p = IN - 1; p >= 0; p--) {
                int arrived = 0;
                while (!arrived)
                    MPI_Parrived(request, p, &arrived);
                for (int i = p * EACH_IN; i < (p + 1) * EACH_IN; i++)
                    wrong += data[i] != i + round;
            }
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    MPI_Finalize();
    return wrong != 0;
}
