// Buffers are written as soon as an operation is known to be complete, by whatever call tells it.
//
// Correct: MPI_Test, MPI_Testany, MPI_Testsome and MPI_Testall with a true flag complete operations like MPI_Wait
// (MPI 4.1, 3.7.3 and 3.7.5); one operation of a set being complete, its buffer is free while the others go on.
//
// ranks: 2

#include <mpi.h>

enum { SETS = 5, EACH = 4, N = 3000 };

static int out[EACH][N], in[EACH][N];

/* Completes at least one request, and returns how many, and which. */
static int complete(int way, MPI_Request *requests, int *which)
{
    int flag = 0, done = 0;
    while (!done) {
        if (way == 0) {
            for (int i = 0; i < EACH && !done; i++) {
                if (requests[i] == MPI_REQUEST_NULL)
                    continue;
                MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
                which[0] = i, done = flag;
            }
        } else if (way == 1) {
            MPI_Testany(EACH, requests, which, &flag, MPI_STATUS_IGNORE);
            done = flag;
        } else if (way == 2) {
            MPI_Testsome(EACH, requests, &done, which, MPI_STATUSES_IGNORE);
        } else if (way == 3) {
            MPI_Waitsome(EACH, requests, &done, which, MPI_STATUSES_IGNORE);
        } else {
            MPI_Testall(EACH, requests, &flag, MPI_STATUSES_IGNORE);
            for (int i = 0; i < EACH && flag; i++)
                which[done++] = i;
        }
    }
    return done;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, which[EACH];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int set = 0; set < SETS; set++) {
        MPI_Request sends[EACH], receives[EACH];
        for (int i = 0; i < EACH; i++) {
            for (int j = 0; j < N; j++)
                out[i][j] = rank + 10 * set + i + j;
            MPI_Irecv(in[i], N, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &receives[i]);
            MPI_Isend(out[i], N, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &sends[i]);
        }
        for (int left = EACH, done; left > 0; left -= done) {
            done = complete(set, receives, which);
            for (int d = 0; d < done; d++)
                for (int j = 0; j < N; j++, in[which[d]][j - 1] = -1)
                    wrong += in[which[d]][j] != 1 - rank + 10 * set + which[d] + j;
        }
        for (int left = EACH, done; left > 0; left -= done) {
            done = complete(set, sends, which);
            for (int d = 0; d < done; d++)
                for (int j = 0; j < N; j++)
                    out[which[d]][j] = -1;
        }
    }
    MPI_Finalize();
    return wrong != 0;
}
