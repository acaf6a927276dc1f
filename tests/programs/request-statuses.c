// MPI_Request_get_status_all, _any and _some in every situation of MPI 4.1, 3.7.6, one line for each. Libraries without these
// functions have no declarations of them. With an argument it says what a lookup of one of them finds.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#ifdef UNDECLARED
int MPI_Request_get_status_all(int count, const MPI_Request requests[], int *flag, MPI_Status statuses[]);
int MPI_Request_get_status_any(int count, const MPI_Request requests[], int *index, int *flag, MPI_Status *status);
int MPI_Request_get_status_some(int incount, const MPI_Request requests[], int *outcount, int indices[],
                                MPI_Status statuses[]);
#endif

enum { N = 4, UNTOUCHED = 4711 };

static MPI_Request r[N];
static MPI_Status s[N];
static int value = 5, got[N];

static void forget(void)
{
    memset(s, 0, sizeof s);
    for (int i = 0; i < N; i++)
        s[i].MPI_SOURCE = s[i].MPI_TAG = UNTOUCHED;
}

static void print_status(const MPI_Status *status)
{
    int count, cancelled;
    if (status->MPI_SOURCE == UNTOUCHED && status->MPI_TAG == UNTOUCHED) {
        printf(" -");
        return;
    }
    MPI_Get_count(status, MPI_INT, &count);
    MPI_Test_cancelled(status, &cancelled);
    if (status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG && count == 0 && !cancelled)
        printf(" empty");
    else if (cancelled)
        printf(" cancelled");
    else
        printf(" %d/%d/%d", status->MPI_SOURCE, status->MPI_TAG, count);
}

static int number(int value)
{
    return value == MPI_UNDEFINED ? -1 : value;
}

// Makes progress until what has been sent has arrived.
static void settle(int expected)
{
    int count = 0, indices[N];
    for (int i = 0; i < 100000 && count < expected; i++)
        MPI_Request_get_status_some(N, r, &count, indices, MPI_STATUSES_IGNORE);
}

static void ask(const char *what, int n, int expected)
{
    settle(expected);
    MPI_Request before[N];
    memcpy(before, r, sizeof r);
    for (int times = 0; times < 2; times++) {
        int flag = UNTOUCHED, index = UNTOUCHED, count = UNTOUCHED, indices[N];
        forget();
        MPI_Request_get_status_all(n, r, &flag, s);
        printf("%s: all %d:", what, flag);
        for (int i = 0; i < n; i++)
            print_status(&s[i]);
        MPI_Request_get_status_all(n, r, &flag, MPI_STATUSES_IGNORE);
        forget();
        MPI_Request_get_status_any(n, r, &index, &flag, s);
        printf("; any %d %d:", flag, number(index));
        print_status(s);
        MPI_Request_get_status_any(n, r, &index, &flag, MPI_STATUS_IGNORE);
        forget();
        MPI_Request_get_status_some(n, r, &count, indices, s);
        printf("; some %d:", number(count));
        for (int i = 0; i < count && count != MPI_UNDEFINED; i++) {
            printf(" [%d]", indices[i]);
            print_status(&s[i]);
        }
        printf("%s\n", memcmp(before, r, sizeof r) ? "; the handles have changed" : "");
    }
}

static void receive(int i)
{
    MPI_Irecv(&got[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &r[i]);
}

static void send(int i)
{
    MPI_Send(&value, 1, MPI_INT, 0, i, MPI_COMM_SELF);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc > 1)
        puts(dlsym(RTLD_DEFAULT, "MPI_Request_get_status_all") ? "there" : "not there");
    for (int i = 0; i < N; i++)
        r[i] = MPI_REQUEST_NULL;
    ask("none", 0, 0);
    ask("null", 3, 0);
    receive(1);
    ask("pending", 3, 0);
    receive(2);
    send(2);
    ask("pending and complete", 3, 1);
    receive(3);
    send(3);
    ask("pending and two complete", 4, 2);
    send(1);
    ask("all complete", 4, 3);
    MPI_Waitall(N, r, s);
    printf("got %d %d %d\n", got[1], got[2], got[3]);

    MPI_Recv_init(&got[0], 1, MPI_INT, 0, 0, MPI_COMM_SELF, &r[0]);
    ask("inactive", 2, 0);
    receive(1);
    ask("inactive and pending", 2, 0);
    send(1);
    ask("inactive and complete", 2, 1);
    MPI_Start(&r[0]);
    ask("started", 2, 1);
    send(0);
    ask("started and complete", 2, 2);
    MPI_Waitall(2, r, s);
    ask("inactive again", 2, 0);
    MPI_Request_free(&r[0]);

    receive(0);
    MPI_Cancel(&r[0]);
    ask("cancelled", 2, 1);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
