// Four threads of each rank write to the memory of the next one, each by itself and to a place of its own. Each completes its accesses
// by MPI_Win_flush, which also waits for those that other threads have made before, and uses its buffer again then.
//
// ranks: 3

#include <mpi.h>
#include <pthread.h>

enum { THREADS = 4, WRITES = 50, ROUNDS = 3 };

static MPI_Win win;
static int rank, size;

static void *writes(void *argument)
{
    int thread = *(int *)argument, target = (rank + 1) % size;
    for (int i = 0; i < WRITES; i++) {
        int value = i;
        MPI_Put(&value, 1, MPI_INT, target, thread, 1, MPI_INT, win);
        MPI_Win_flush(target, win);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *memory;
    MPI_Win_allocate(THREADS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock_all(0, win);
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[THREADS];
        int numbers[THREADS];
        for (int i = 0; i < THREADS; i++) {
            numbers[i] = i;
            pthread_create(&threads[i], NULL, writes, &numbers[i]);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    int value;
    MPI_Get(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_flush((rank + 1) % size, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
