// Rank 0 starts a send in one thread and has another thread wait for it.
//
// What is wrong: the first thread has kept a copy of the handle and frees it. The request is over when the other thread has
// completed it.
// The fix: one thread alone completes the request.
//
// ranks: 2
// expect: request-misuse ranks 0
// mpi: mpich openmpi !mpich-5.0-abi !intel-abi !openmpi-5.0 (what the library does with a stale handle is undefined)

#include <mpi.h>
#include <pthread.h>

static double field[100000];
static MPI_Request request;

static void *waits(void *unused)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE); //~ request-misuse
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
        MPI_Isend(field, 100000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request); //~ request-misuse
        MPI_Request copy = request;
        pthread_create(&thread, NULL, waits, NULL);
        pthread_join(thread, NULL);
        MPI_Request_free(&copy); //~ request-misuse
    } else {
        MPI_Recv(field, 100000, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
