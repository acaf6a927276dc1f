// Two threads of rank 0 wait for the others at the end of their parts.
//
// What is wrong: both call MPI_Barrier on MPI_COMM_WORLD at the same time. Collective operations of one
// communicator belong together by their order, and between the two there is none.
// The fix: a communicator for each thread.
//
// ranks: 2
// mpi: !intel (two barriers at once hang in it for ever)
// expect: concurrent-misuse ranks 0

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *second_part(void *unused)
{
    usleep(100000);
    MPI_Barrier(MPI_COMM_WORLD); //~ concurrent-misuse
    return unused;
}

int main(int argc, char **argv)
{
    int rank, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, second_part, NULL);
        MPI_Barrier(MPI_COMM_WORLD); //~ concurrent-misuse
        pthread_join(thread, NULL);
    } else {
        usleep(400000);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    printf("rank %d is done\n", rank);
    MPI_Finalize();
    return 0;
}
