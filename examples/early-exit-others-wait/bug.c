// Workers check their part of the input and report how many values are good; the master adds up the counts and
// tells everyone.
//
// What is wrong: worker 2 finds a value that cannot be, says so and leaves with exit status 1, as a program of
// one process would. The master waits for its count for ever, and worker 1 waits for the master.
// The fix: the worker reports what it found, and all leave together.
//
// ranks: 3
// expect: early-exit-others-wait ranks 0,2

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { VALUES = 6 };

static const int input[3][VALUES] = {{0}, {3, 1, 4, 1, 5, 9}, {2, 7, 1, -8, 2, 8}};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, good = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size); //~ early-exit-others-wait

    if (rank == 0) {
        for (int r = 1; r < size; r++) {
            int part;
            MPI_Recv(&part, 1, MPI_INT, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ early-exit-others-wait
            good += part;
        }
    } else {
        // Some parts take longer than others.
        sleep(rank / 2);
        for (int i = 0; i < VALUES; i++) {
            if (input[rank][i] < 0) {
                fprintf(stderr, "value %d of part %d is negative\n", i, rank);
                return 1;
            }
            good++;
        }
        MPI_Send(&good, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 1)
        printf("%d values are good\n", good);
    MPI_Finalize();
    return 0;
}
