// After the fifth example program of the Keldysh Institute's correctness analyzer (preprint of 2006): two
// ranks exchange messages that grow from round to round, and time them.
//
// What is wrong: both ranks first send and then receive. As long as the library buffers the messages this
// works; as soon as they are too long for its buffers (some kilobytes, it depends on the library) each
// send waits for a receive that the other rank would only post after its own send.
// The fix: MPI_Sendrecv.
//
// ranks: 2
// mpi: !intel (its sends never wait within a node, however long the message)
// expect: real-deadlock ranks 0,1

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEP = 256, ROUNDS = 1024 }; /* from 1 KiB to 1 MiB */

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int *out = calloc(STEP * ROUNDS, sizeof *out), *in = calloc(STEP * ROUNDS, sizeof *in);
    int other = 1 - rank, rounds = 0;
    for (int round = 1; round <= ROUNDS; round *= 2) {
        int count = STEP * round;
        out[count - 1] = rank + round;
        MPI_Send(out, count, MPI_INT, other, 0, MPI_COMM_WORLD); //~ real-deadlock
        MPI_Recv(in, count, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (in[count - 1] != other + round)
            MPI_Abort(MPI_COMM_WORLD, 1);
        rounds++;
    }
    printf("rank %d: %d rounds, up to %d bytes\n", rank, rounds, STEP * ROUNDS * 4);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
