// Two threads of rank 0 wait for the others at the end of their parts.
//
// Correct: each thread has a communicator of its own.
//
// ranks: 2

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static MPI_Comm second;

static void *second_part(void *unused)
{
    usleep(100000);
    MPI_Barrier(second);
    return unused;
}

int main(int argc, char **argv)
{
    int rank, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    if (rank == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, second_part, NULL);
        MPI_Barrier(MPI_COMM_WORLD);
        pthread_join(thread, NULL);
    } else {
        usleep(400000);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Barrier(second);
    }
    MPI_Comm_free(&second);
    printf("rank %d is done\n", rank);
    MPI_Finalize();
    return 0;
}
