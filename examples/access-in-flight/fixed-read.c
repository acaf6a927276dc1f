// Rank 0 sends blocks that it reads from a pipe.
//
// Correct: the send of the last block is complete before the next one is read into its buffer.
//
// ranks: 2
// options: --precise

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 1 << 14, BLOCKS = 2 };

int main(int argc, char **argv)
{
    char *block, *filler = calloc(BYTES, 1);
    MPI_Request request = MPI_REQUEST_NULL;
    int rank, ends[2];
    long sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (pipe(ends) || posix_memalign((void **)&block, 4096, BYTES))
        return 1;
    for (int b = 0; b < BLOCKS; b++) {
        memset(filler, b + 1, BYTES);
        if (rank == 1) {
            MPI_Recv(block, BYTES, MPI_CHAR, 0, b, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += block[0];
            continue;
        }
        if (write(ends[1], filler, BYTES) != BYTES)
            return 2;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        long got = read(ends[0], block, BYTES);
        if (got != BYTES)
            return 3;
        MPI_Isend(block, BYTES, MPI_CHAR, 1, b, MPI_COMM_WORLD, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("%ld\n", sum);
    free(block);
    free(filler);
    MPI_Finalize();
    return 0;
}
