// Task farm with wildcards: the master does not know who answers when, nor with which tag.
//
// Correct: source and tag are read from the status; a wildcard receive is the only receive that is posted.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

enum { TASKS = 40, ODD = 1, EVEN = 2, STOP = 3 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_Status status;
    if (rank == 0) {
        int next = 0, odd = 0, even = 0, answer;
        for (int r = 1; r < size; r++, next++)
            MPI_Send(&next, 1, MPI_INT, r, 0, MPI_COMM_WORLD);
        for (int done = 0; done < TASKS; done++) {
            MPI_Recv(&answer, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            odd += status.MPI_TAG == ODD ? answer : 0;
            even += status.MPI_TAG == EVEN ? answer : 0;
            int tag = next < TASKS ? 0 : STOP;
            MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, tag, MPI_COMM_WORLD);
            next++;
        }
        printf("odd %d, even %d\n", odd, even);
    } else {
        for (;;) {
            int task;
            MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            if (status.MPI_TAG == STOP)
                break;
            int answer = task * task;
            MPI_Send(&answer, 1, MPI_INT, 0, task % 2 ? ODD : EVEN, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
