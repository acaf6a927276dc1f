// What the traces in this folder are of: a bit of everything that a trace holds, and two mistakes (a message that nobody receives,
// a datatype that is not freed). Recorded with two ranks under MPICH 4.0:
//
//     mpicc -g halo.c -o halo && mpivet run --dir trace -- mpirun -n 2 ./halo
#include <mpi.h>
#include <stdlib.h>

enum { N = 64, STEPS = 20 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm row;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &row);
    MPI_Comm_set_name(row, "row");
    MPI_Datatype column, pair;
    MPI_Type_vector(N, 1, N, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &pair);
    MPI_Type_commit(&pair);
    double *grid = calloc(N * N, sizeof *grid), residual = 0, all;
    int other = 1 - rank;
    for (int step = 0; step < STEPS; step++) {
        MPI_Request requests[2];
        MPI_Irecv(grid, 1, column, other, step, row, &requests[0]);
        MPI_Isend(grid + N - 1, 1, column, other, step, row, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Allreduce(&residual, &all, 1, MPI_DOUBLE, MPI_SUM, row);
    }
    MPI_Win window;
    MPI_Win_create(grid, N * sizeof *grid, sizeof *grid, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Put(&residual, 1, MPI_DOUBLE, 1, 3, 1, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Request again;
    MPI_Status status;
    int flag = 0;
    if (rank == 0) {
        MPI_Send_init(&rank, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &again);
        for (int i = 0; i < 3; i++) {
            MPI_Start(&again);
            MPI_Wait(&again, &status);
        }
        MPI_Request_free(&again);
        MPI_Send(&rank, 1, MPI_INT, 1, 99, MPI_COMM_WORLD);
    } else {
        for (int i = 0; i < 3; i++) {
            while (!flag)
                MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, &status);
            MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
            flag = 0;
        }
    }
    MPI_Ibarrier(row, &again);
    MPI_Wait(&again, MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
    MPI_Comm_free(&row);
    free(grid);
    MPI_Finalize();
    return 0;
}
