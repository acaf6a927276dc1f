// Workers check their part of the input and report how many values are good; the master adds up the counts and
// tells everyone.
//
// Fixed: a worker that finds a bad value says so and leaves it out, and all leave together.
//
// ranks: 3

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
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    if (rank == 0) {
        for (int r = 1; r < size; r++) {
            int part;
            MPI_Recv(&part, 1, MPI_INT, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            good += part;
        }
    } else {
        // Some parts take longer than others.
        sleep(rank / 2);
        for (int i = 0; i < VALUES; i++) {
            if (input[rank][i] < 0)
                fprintf(stderr, "value %d of part %d is negative\n", i, rank);
            else
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
