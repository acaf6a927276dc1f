// Each rank gives rank 0 the values of its cells. Rank 0 waits for the word of rank 2 before, which finds its cells
// wrong and gives up instead.
//
// What is wrong: rank 2 sends six values, where rank 1 sends five. All ranks must send what rank 0 expects of each;
// that is seen although rank 0 never came to the call.
// The fix: each rank sends as many, and rank 2 says its word.
//
// ranks: 3
// expect: wrong-recv-size ranks 1,2
// expect: abort ranks 2

#include <mpi.h>
#include <stdio.h>

enum { CELLS = 5 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double cells[CELLS + 1] = {0}, all[3 * (CELLS + 1)];
    int are_right = 0;
    if (rank == 0)
        MPI_Recv(&are_right, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Gather(cells, rank == 2 ? CELLS + 1 : CELLS, MPI_DOUBLE, all, CELLS, MPI_DOUBLE, 0, //~ wrong-recv-size
               MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Send(&are_right, 1, MPI_INT, 2, 8, MPI_COMM_WORLD);
    if (rank == 2) {
        MPI_Recv(&are_right, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        fprintf(stderr, "the cells of rank 2 are wrong\n");
        MPI_Abort(MPI_COMM_WORLD, 3); //~ abort
    }
    MPI_Finalize();
    return 0;
}
