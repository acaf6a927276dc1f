// Eight threads a rank work on the same messages and make objects at the same time (MPI_THREAD_MULTIPLE).
//
// Correct: requests are completed by another thread than the one that started them; a message is found by
// MPI_Mprobe in one thread and received in another; threads send with one envelope, and whichever message a
// thread gets is as good as another; threads make, use and free data types and communicators all the time.
//
// ranks: 2
// timeout: 60

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { PAIRS = 4, ROUNDS = 150 };

static int rank, other;
static MPI_Comm own[PAIRS];

// What a thread of a pair leaves for the other one.
static struct Slot {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int full;
    MPI_Request request;
    MPI_Message message;
} slots[PAIRS];

static int received[PAIRS][ROUNDS], probed[PAIRS];
static double sums[PAIRS];

static void wait_until(struct Slot *slot, int full)
{
    pthread_mutex_lock(&slot->lock);
    while (slot->full != full)
        pthread_cond_wait(&slot->changed, &slot->lock);
}

static void set(struct Slot *slot, int full)
{
    slot->full = full;
    pthread_cond_signal(&slot->changed);
    pthread_mutex_unlock(&slot->lock);
}

static void *starter(void *argument)
{
    int me = *(int *)argument;
    struct Slot *slot = &slots[me];
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Datatype pair;
        MPI_Type_contiguous(2, me % 2 ? MPI_INT : MPI_DOUBLE, &pair);
        MPI_Type_commit(&pair);
        double data[2] = {round, round};
        MPI_Request send, task;
        int job = 1;
        wait_until(slot, 0);
        MPI_Irecv(&received[me][round], 1, MPI_INT, other, 100 + me, MPI_COMM_WORLD, &slot->request);
        MPI_Isend((void *)data, 1, pair, other, 200 + me, MPI_COMM_WORLD, &send);
        MPI_Mprobe(other, 200 + me, MPI_COMM_WORLD, &slot->message, MPI_STATUS_IGNORE);
        set(slot, 1);
        MPI_Send(&round, 1, MPI_INT, other, 100 + me, MPI_COMM_WORLD);
        MPI_Isend(&job, 1, MPI_INT, other, 7, MPI_COMM_WORLD, &task);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        MPI_Wait(&task, MPI_STATUS_IGNORE);
        MPI_Type_free(&pair);
    }
    return NULL;
}

static void *completer(void *argument)
{
    int me = *(int *)argument;
    struct Slot *slot = &slots[me];
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Datatype pair;
        MPI_Type_vector(2, 1, 1, me % 2 ? MPI_INT : MPI_DOUBLE, &pair);
        MPI_Type_commit(&pair);
        double data[2] = {0, 0};
        int job = 0;
        wait_until(slot, 1);
        MPI_Message message = slot->message;
        MPI_Request request = slot->request;
        set(slot, 0);
        MPI_Mrecv((void *)data, 1, pair, &message, MPI_STATUS_IGNORE);
        if (round % 2) {
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            for (int flag = 0; !flag;)
                MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        }
        MPI_Recv(&job, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        probed[me] += job;
        sums[me] += data[0];
        MPI_Type_free(&pair);
        if (round % 10 == 0) {
            MPI_Comm copy;
            MPI_Comm_dup(own[me], &copy);
            MPI_Barrier(copy);
            MPI_Comm_free(&copy);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;

    pthread_t threads[2 * PAIRS];
    int names[PAIRS];
    for (int t = 0; t < PAIRS; t++) {
        names[t] = t;
        pthread_mutex_init(&slots[t].lock, NULL);
        pthread_cond_init(&slots[t].changed, NULL);
        MPI_Comm_dup(MPI_COMM_WORLD, &own[t]);
    }
    for (int t = 0; t < PAIRS; t++) {
        pthread_create(&threads[2 * t], NULL, starter, &names[t]);
        pthread_create(&threads[2 * t + 1], NULL, completer, &names[t]);
    }
    for (int t = 0; t < 2 * PAIRS; t++)
        pthread_join(threads[t], NULL);
    int jobs = 0;
    for (int t = 0; t < PAIRS; t++) {
        jobs += probed[t];
        MPI_Comm_free(&own[t]);
    }
    printf("rank %d: %d jobs\n", rank, jobs);
    MPI_Finalize();
    return 0;
}
