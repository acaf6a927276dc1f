// Another tool that wraps completion calls: it keeps the requests before the call, and holds the statuses against the tags of
// their receives. Where the library can look at several statuses, it completes what MPI_Testsome would itself, one by one.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static struct {
    MPI_Request request;
    int tag;
} known[MOST];
static int seen, wrong;

int MPI_Init(int *argc, char ***argv)
{
    return PMPI_Init(argc, argv);
}

int MPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    int result = PMPI_Irecv(buf, count, datatype, source, tag, comm, request);
    for (int i = 0; i < MOST; i++)
        if (known[i].tag == 0 || known[i].request == *request) {
            known[i].request = *request;
            known[i].tag = tag;
            break;
        }
    return result;
}

static void completed(MPI_Request request, const MPI_Status *status)
{
    int cancelled;
    PMPI_Test_cancelled(status, &cancelled);
    for (int i = 0; i < MOST; i++)
        if (known[i].tag && known[i].request == request) {
            wrong += !cancelled && status->MPI_TAG != known[i].tag;
            known[i].tag = 0;
            seen++;
            return;
        }
    wrong++;
}

int MPI_Waitsome(int n, MPI_Request r[], int *count, int indices[], MPI_Status statuses[])
{
    MPI_Request kept[MOST];
    MPI_Status own[MOST];
    memcpy(kept, r, n * sizeof *r);
    MPI_Status *s = statuses == MPI_STATUSES_IGNORE ? own : statuses;
    int result = PMPI_Waitsome(n, r, count, indices, s);
    for (int i = 0; *count != MPI_UNDEFINED && i < *count; i++)
        completed(kept[indices[i]], &s[i]);
    return result;
}

int MPI_Testsome(int n, MPI_Request r[], int *count, int indices[], MPI_Status statuses[])
{
    MPI_Request kept[MOST];
    MPI_Status own[MOST];
    memcpy(kept, r, n * sizeof *r);
    MPI_Status *s = statuses == MPI_STATUSES_IGNORE ? own : statuses;
#if MPI_VERSION > 4 || MPI_VERSION == 4 && MPI_SUBVERSION >= 1
    int result = PMPI_Request_get_status_some(n, r, count, indices, s);
    for (int i = 0; *count != MPI_UNDEFINED && i < *count; i++)
        PMPI_Wait(&r[indices[i]], &s[i]);
#else
    int result = PMPI_Testsome(n, r, count, indices, s);
#endif
    for (int i = 0; *count != MPI_UNDEFINED && i < *count; i++)
        completed(kept[indices[i]], &s[i]);
    return result;
}

int MPI_Waitany(int n, MPI_Request r[], int *index, MPI_Status *status)
{
    MPI_Request kept[MOST];
    MPI_Status own;
    memcpy(kept, r, n * sizeof *r);
    MPI_Status *s = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Waitany(n, r, index, s);
    if (*index != MPI_UNDEFINED)
        completed(kept[*index], s);
    return result;
}

int MPI_Testany(int n, MPI_Request r[], int *index, int *flag, MPI_Status *status)
{
    MPI_Request kept[MOST];
    MPI_Status own;
    memcpy(kept, r, n * sizeof *r);
    MPI_Status *s = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Testany(n, r, index, flag, s);
    if (*flag && *index != MPI_UNDEFINED)
        completed(kept[*index], s);
    return result;
}

int MPI_Waitall(int n, MPI_Request r[], MPI_Status statuses[])
{
    MPI_Request kept[MOST];
    MPI_Status own[MOST];
    memcpy(kept, r, n * sizeof *r);
    MPI_Status *s = statuses == MPI_STATUSES_IGNORE ? own : statuses;
    int result = PMPI_Waitall(n, r, s);
    for (int i = 0; i < n; i++)
        if (kept[i] != MPI_REQUEST_NULL)
            completed(kept[i], &s[i]);
    return result;
}

int MPI_Finalize(void)
{
    printf("tool: %d seen, %d wrong\n", seen, wrong);
    return PMPI_Finalize();
}
