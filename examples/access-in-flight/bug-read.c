// Rank 0 sends blocks that it reads from a pipe.
//
// What is wrong: it reads the next block into the buffer of the last one, whose send is not complete. The kernel writes there, not
// an instruction of the program.
// The fix: MPI_Wait before the next block is read.
//
// ranks: 2
// options: --precise
// expect: access-in-flight ranks 0

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
        long got = read(ends[0], block, BYTES);                                      //~ access-in-flight
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (got != BYTES)
            return 3;
        MPI_Isend(block, BYTES, MPI_CHAR, 1, b, MPI_COMM_WORLD, &request);           //~ access-in-flight
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (sum > 3)
        printf("%ld\n", sum);
    free(block);
    free(filler);
    MPI_Finalize();
    return 0;
}
