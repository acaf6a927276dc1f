// Receives of one's own messages, completed in every order and in every way: each status must be that of its request.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { N = 4, ORDERS = 24, WAYS = 5 };

static MPI_Request r[N];
static MPI_Status s[N];
static int got[N], pending, wrong;

// The request at a place is complete with this status.
static void completed(int place, const MPI_Status *status, int is_known)
{
    int cancelled = 0, count = 1;
    pending--;
    if (r[place] != MPI_REQUEST_NULL) {
        wrong++;
        return;
    }
    if (!is_known)
        return;
    MPI_Test_cancelled(status, &cancelled);
    if (cancelled) {
        wrong += got[place] != -1;
        return;
    }
    MPI_Get_count(status, MPI_INT, &count);
    wrong += status->MPI_SOURCE != 0 || status->MPI_TAG != 10 + place || got[place] != 100 + place || count != 1;
}

// Completes what is complete, in one way; waits if that way does.
static void complete(int way, int is_known)
{
    int count = 0, indices[N], index, flag;
    switch (way) {
    case 0:
        MPI_Waitsome(N, r, &count, indices, is_known ? s : MPI_STATUSES_IGNORE);
        break;
    case 1:
        MPI_Testsome(N, r, &count, indices, is_known ? s : MPI_STATUSES_IGNORE);
        break;
    case 2:
        MPI_Waitany(N, r, &index, is_known ? s : MPI_STATUS_IGNORE);
        completed(index, s, is_known);
        return;
    case 3:
        MPI_Testany(N, r, &index, &flag, is_known ? s : MPI_STATUS_IGNORE);
        if (flag && index != MPI_UNDEFINED)
            completed(index, s, is_known);
        return;
    default:
        MPI_Waitall(N, r, is_known ? s : MPI_STATUSES_IGNORE);
        for (int i = 0; i < N; i++)
            completed(i, &s[i], is_known);
        pending = 0;
        return;
    }
    for (int i = 0; count != MPI_UNDEFINED && i < count; i++)
        completed(indices[i], &s[i], is_known);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int order = 0; order < ORDERS; order++)
        for (int way = 0; way < WAYS; way++)
            for (int cancels = 0; cancels < 2; cancels++) {
                int left[N] = {0, 1, 2, 3}, number = order, is_known = order % 3 != 2;
                for (int i = 0; i < N; i++) {
                    got[i] = -1;
                    MPI_Irecv(&got[i], 1, MPI_INT, 0, 10 + i, MPI_COMM_SELF, &r[i]);
                }
                pending = N;
                for (int n = N; n > 0; n--) {
                    int at = number % n, i = left[at], value = 100 + i;
                    number /= n;
                    memmove(&left[at], &left[at + 1], (n - 1 - at) * sizeof left[0]);
                    if (cancels && n % 2)
                        MPI_Cancel(&r[i]);
                    else
                        MPI_Send(&value, 1, MPI_INT, 0, 10 + i, MPI_COMM_SELF);
                    // Sometimes one after the other, sometimes several at once.
                    if (way < 4 && order % 2)
                        complete(way, is_known);
                }
                while (pending > 0)
                    complete(way, is_known);
            }
    puts(wrong ? "wrong" : "all right");
    MPI_Finalize();
    return wrong != 0;
}
