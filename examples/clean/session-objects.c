// Two sessions and the world model side by side, each with groups, communicators, windows and requests of its own.
//
// Correct: no call is given objects of two of them. Datatypes, operations, info objects, error handlers and
// MPI_GROUP_EMPTY belong to none; a generalized request has no communicator; the communicator of the peers means
// nothing but at the leaders.
//
// ranks: 4
// mpi: mpich openmpi-5.0 (Open MPI 4.1 implements MPI 3.1)

#include <mpi.h>
#include <stdio.h>

static MPI_Datatype pair;
static MPI_Op last;
static MPI_Info hints;
static MPI_Errhandler handler;

static void keep(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < 2 * *length; i++)
        if (((int *)in)[i] > ((int *)inout)[i])
            ((int *)inout)[i] = ((int *)in)[i];
}

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int done(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int stop(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

/* all that one of the models has */
static int work(MPI_Comm comm, MPI_Group group)
{
    int rank, size, result;
    MPI_Group members, others, lower;
    MPI_Comm part, again, both;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_set_errhandler(comm, handler);

    MPI_Comm_group(comm, &members);
    MPI_Group_compare(members, group, &result);
    MPI_Group_difference(group, members, &others);
    if (others != MPI_GROUP_EMPTY)
        MPI_Group_free(&others);
    int range[1][3] = {{0, size / 2 - 1, 1}};
    MPI_Group_range_incl(members, 1, range, &lower);
    MPI_Comm_create(comm, rank < size / 2 ? lower : MPI_GROUP_EMPTY, &part);
    if (part != MPI_COMM_NULL)
        MPI_Comm_free(&part);

    MPI_Comm_split(comm, rank < size / 2, rank, &part);
    int leads = rank == 0 || rank == size / 2;
    MPI_Intercomm_create(part, 0, leads ? comm : MPI_COMM_WORLD, rank < size / 2 ? size / 2 : 0, 1, &both);
    MPI_Intercomm_merge(both, rank < size / 2, &again);
    MPI_Comm_compare(comm, again, &result);

    int out[2] = {rank, size - rank}, in[2] = {-1, -1}, sum[2] = {0, 0};
    MPI_Request requests[4];
    MPI_Grequest_start(query, done, stop, NULL, &requests[0]);
    MPI_Irecv(in, 1, pair, (rank + 1) % size, 0, comm, &requests[1]);
    MPI_Isend(out, 1, pair, (rank + size - 1) % size, 0, comm, &requests[2]);
    MPI_Iallreduce(out, sum, 1, pair, last, again, &requests[3]);
    MPI_Grequest_complete(requests[0]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);

    int memory[2] = {-1, -1};
    MPI_Win window;
    MPI_Group here;
    MPI_Win_create(memory, sizeof memory, sizeof *memory, hints, comm, &window);
    MPI_Win_get_group(window, &here);
    MPI_Group_compare(here, members, &result);
    MPI_Win_post(members, 0, window);
    MPI_Win_start(group, 0, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MPI_Win_free(&window);
    int wrong = in[0] != (rank + 1) % size || sum[0] != size - 1;

    MPI_Group_free(&here);
    MPI_Group_free(&lower);
    MPI_Group_free(&members);
    MPI_Comm_free(&again);
    MPI_Comm_free(&both);
    MPI_Comm_free(&part);
    return wrong;
}

static int work_of(MPI_Session session, const char *name)
{
    MPI_Group all;
    MPI_Comm comm;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Comm_create_from_group(all, name, hints, handler, &comm);
    int wrong = work(comm, all);
    MPI_Comm_free(&comm);
    MPI_Group_free(&all);
    return wrong;
}

int main(int argc, char **argv)
{
    MPI_Session first, second;
    MPI_Group world;
    int wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
    MPI_Info_create(&hints);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(keep, 1, &last);
    handler = MPI_ERRORS_ARE_FATAL;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int round = 0; round < 2; round++) {
        wrong += work_of(first, "org.example.first");
        wrong += work(MPI_COMM_WORLD, world);
        wrong += work_of(second, "org.example.second");
    }
    MPI_Group_free(&world);

    MPI_Op_free(&last);
    MPI_Type_free(&pair);
    MPI_Info_free(&hints);
    MPI_Session_finalize(&second);
    MPI_Session_finalize(&first);
    MPI_Finalize();
    if (wrong)
        printf("%d wrong\n", wrong);
    return wrong != 0;
}
