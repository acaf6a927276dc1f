// Eight hundred operations are pending at a time, on slices of two arrays, started from the middle to the ends and
// completed in another order.
//
// Correct: the slices are disjoint; a slice may be used again as soon as its own operation is complete (MPI 4.1,
// 3.7.3).
//
// ranks: 2

#include <mpi.h>

enum { SLICES = 400, WIDTH = 3 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, other, wrong = 0;
    static int out[SLICES * WIDTH], in[SLICES * WIDTH];
    static MPI_Request sends[SLICES], receives[SLICES];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    for (int i = 0; i < SLICES * WIDTH; i++)
        out[i] = i + 10000 * rank;
    for (int i = 0; i < SLICES; i++) {
        int slice = SLICES / 2 + (i % 2 ? -(i + 1) / 2 : i / 2);
        MPI_Irecv(in + slice * WIDTH, WIDTH, MPI_INT, other, slice, MPI_COMM_WORLD, &receives[slice]);
    }
    for (int i = 0; i < SLICES; i++) {
        int slice = i * 7 % SLICES;
        MPI_Isend(out + slice * WIDTH, WIDTH, MPI_INT, other, slice, MPI_COMM_WORLD, &sends[slice]);
    }
    for (int i = 0; i < SLICES; i++) {
        int slice;
        MPI_Waitany(SLICES, receives, &slice, MPI_STATUS_IGNORE);
        for (int j = slice * WIDTH; j < (slice + 1) * WIDTH; j++) {
            wrong += in[j] != j + 10000 * other;
            in[j] = -1;
        }
        MPI_Wait(&sends[slice], MPI_STATUS_IGNORE);
        out[slice * WIDTH] = -1;
        /* sends it back, from where it was received */
        in[slice * WIDTH] = slice;
        MPI_Isend(in + slice * WIDTH, 1, MPI_INT, other, SLICES + slice, MPI_COMM_WORLD, &sends[slice]);
    }
    for (int slice = SLICES - 1; slice >= 0; slice--) {
        MPI_Recv(out + slice * WIDTH, 1, MPI_INT, other, SLICES + slice, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += out[slice * WIDTH] != slice;
    }
    MPI_Waitall(SLICES, sends, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return wrong != 0;
}
