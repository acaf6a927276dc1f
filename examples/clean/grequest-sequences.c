// Generalized requests in every way that they may be completed, tested, cancelled and freed, mixed with other requests.
//
// Correct: each is completed once by MPI_Grequest_complete, by this thread before it waits, or by another thread,
// and freed once by the library when it is both complete and waited for or freed (MPI 4.1, 13.2). query_fn sets
// the status wherever the program looks at it; it may be called any number of times. It may copy a status instead of
// calling MPI_Status_set_elements. A poll that finds nothing changes nothing.
//
// ranks: 2

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    MPI_Request handle;
    int elements, cancelled, freed, complete;
    const MPI_Status *copied;
} operation;

static int query(void *state, MPI_Status *status)
{
    operation *o = state;
    if (o->copied) {
        *status = *o->copied;
        return MPI_SUCCESS;
    }
    MPI_Status_set_elements(status, MPI_INT, o->elements);
    MPI_Status_set_cancelled(status, o->cancelled);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = 7;
    return MPI_SUCCESS;
}

// Only for statuses that nobody looks at.
static int query_nothing(void *state, MPI_Status *status)
{
    (void)state, (void)status;
    return MPI_SUCCESS;
}

static int release(void *state)
{
    ((operation *)state)->freed++;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    operation *o = state;
    if (!complete)
        o->cancelled = 1;
    return MPI_SUCCESS;
}

static int refuse(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

static MPI_Request start(operation *o, int elements)
{
    MPI_Request request;
    memset(o, 0, sizeof *o);
    o->elements = elements;
    MPI_Grequest_start(query, release, cancel, o, &request);
    o->handle = request;
    return request;
}

static int wrong;

static void check(const char *what, int good)
{
    if (!good) {
        printf("%s: wrong\n", what);
        wrong = 1;
    }
}

static int is(const MPI_Status *status, int elements)
{
    int count, cancelled;
    MPI_Get_elements(status, MPI_INT, &count);
    MPI_Test_cancelled(status, &cancelled);
    return count == elements && !cancelled && status->MPI_TAG == 7;
}

static void *work(void *state)
{
    usleep(20000);
    MPI_Grequest_complete(((operation *)state)->handle);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, rank, flag, index, count, indices[4], value = 5, got = 0, cancelled;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    operation a, b, c;
    MPI_Request r[4];
    MPI_Status s[4];
    pthread_t thread;

    // One request: wait, with and without a status, and test.
    r[0] = start(&a, 1);
    MPI_Grequest_complete(r[0]);
    MPI_Wait(&r[0], &s[0]);
    check("wait", is(&s[0], 1) && a.freed == 1);
    r[0] = start(&a, 1);
    MPI_Grequest_complete(r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    r[0] = start(&a, 2);
    MPI_Test(&r[0], &flag, &s[0]);
    check("test of a pending one", !flag && r[0] != MPI_REQUEST_NULL);
    MPI_Grequest_complete(r[0]);
    MPI_Test(&r[0], &flag, &s[0]);
    check("test", flag && is(&s[0], 2) && a.freed == 1);

    // Another thread completes it while this one waits, alone and with messages.
    r[0] = start(&a, 3);
    pthread_create(&thread, NULL, work, &a);
    MPI_Wait(&r[0], &s[0]);
    pthread_join(thread, NULL);
    check("wait for a thread", is(&s[0], 3) && a.freed == 1);
    r[0] = start(&a, 4);
    MPI_Irecv(&got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Isend(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[2]);
    pthread_create(&thread, NULL, work, &a);
    MPI_Waitall(3, r, s);
    pthread_join(thread, NULL);
    check("waitall", is(&s[0], 4) && got == 5 && s[1].MPI_SOURCE == 1 - rank);

    // Several at once, in all calls.
    r[0] = start(&a, 1), r[1] = start(&b, 2);
    MPI_Grequest_complete(r[1]);
    MPI_Testall(2, r, &flag, s);
    check("testall of one", !flag && b.freed == 0);
    MPI_Testany(2, r, &index, &flag, &s[0]);
    check("testany", flag && index == 1 && is(&s[0], 2) && b.freed == 1 && a.freed == 0);
    r[1] = start(&b, 5);
    MPI_Grequest_complete(r[0]);
    MPI_Grequest_complete(r[1]);
    MPI_Testall(2, r, &flag, s);
    check("testall", flag && is(&s[0], 1) && is(&s[1], 5) && a.freed == 1 && b.freed == 1);
    r[0] = start(&a, 1), r[1] = start(&b, 2), r[2] = start(&c, 3);
    MPI_Grequest_complete(r[2]);
    MPI_Grequest_complete(r[0]);
    MPI_Waitsome(3, r, &count, indices, s);
    for (int i = 0; i < count; i++)
        check("waitsome", is(&s[i], indices[i] + 1));
    while (a.freed + c.freed < 2)
        MPI_Testsome(3, r, &count, indices, MPI_STATUSES_IGNORE);
    MPI_Grequest_complete(r[1]);
    MPI_Waitany(3, r, &index, &s[0]);
    check("waitany", index == 1 && is(&s[0], 2));

    // A status that is looked at does not complete it.
    r[0] = start(&a, 6);
    MPI_Request_get_status(r[0], &flag, &s[0]);
    check("status of a pending one", !flag);
    MPI_Grequest_complete(r[0]);
    for (int i = 0; i < 3; i++) {
        MPI_Request_get_status(r[0], &flag, &s[0]);
        check("status", flag && is(&s[0], 6) && a.freed == 0);
    }
    MPI_Request_get_status(r[0], &flag, MPI_STATUS_IGNORE);
    MPI_Wait(&r[0], &s[0]);
    check("wait after status", is(&s[0], 6) && a.freed == 1);

    // Freed before and after its completion.
    r[0] = start(&a, 1);
    MPI_Request_free(&r[0]);
    MPI_Grequest_complete(a.handle);
    check("freed first", a.freed == 1);
    r[0] = start(&a, 1);
    MPI_Grequest_complete(r[0]);
    MPI_Request_free(&r[0]);
    check("completed first", a.freed == 1);

    // Cancelled in time, too late, and when cancel_fn does nothing and the operation goes on.
    r[0] = start(&a, 0);
    MPI_Cancel(&r[0]);
    MPI_Grequest_complete(r[0]);
    MPI_Wait(&r[0], &s[0]);
    MPI_Test_cancelled(&s[0], &cancelled);
    check("cancel", cancelled && a.freed == 1);
    r[0] = start(&a, 8);
    MPI_Grequest_complete(r[0]);
    MPI_Cancel(&r[0]);
    MPI_Wait(&r[0], &s[0]);
    check("cancel too late", is(&s[0], 8));
    memset(&a, 0, sizeof a);
    a.elements = 9;
    MPI_Grequest_start(query, release, refuse, &a, &r[0]);
    a.handle = r[0];
    MPI_Cancel(&r[0]);
    pthread_create(&thread, NULL, work, &a);
    MPI_Wait(&r[0], &s[0]);
    pthread_join(thread, NULL);
    check("cancel refused", is(&s[0], 9));

    // query_fn copies the same status each time; a query_fn that sets nothing is all right where nobody looks.
    MPI_Status kept;
    MPI_Sendrecv(&value, 1, MPI_INT, 1 - rank, 7, &got, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, &kept);
    for (int i = 0; i < 3; i++) {
        r[0] = start(&a, 0);
        a.copied = &kept;
        MPI_Grequest_complete(r[0]);
        MPI_Wait(&r[0], &s[0]);
        check("copied", is(&s[0], 1) && s[0].MPI_SOURCE == 1 - rank);
    }
    memset(&a, 0, sizeof a);
    MPI_Grequest_start(query_nothing, release, cancel, &a, &r[0]);
    MPI_Grequest_complete(r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);

    // Handles are used again.
    for (int i = 0; i < 3000; i++) {
        r[0] = start(&a, i);
        MPI_Grequest_complete(r[0]);
        MPI_Wait(&r[0], &s[0]);
        check("again", is(&s[0], i) && a.freed == 1);
    }
    if (!wrong)
        printf("rank %d: all right\n", rank);
    MPI_Finalize();
    return wrong;
}
