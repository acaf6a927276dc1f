// MPI that begins, ends and begins anew in one process, with the same steps every time.
//
// Correct: with the last session MPI ends, and it may begin again with another (MPI 4.1, 11.3). The handles of the
// second time may be those of the first; they are other objects.
//
// ranks: 2
// mpi: mpich-5.0 (Open MPI 4.1 has no sessions; MPICH 4 and Open MPI 5 crash or fail when they begin anew)

#include <mpi.h>
#include <stdio.h>

static int once(int round)
{
    MPI_Session session;
    MPI_Group all;
    MPI_Comm comm, copy;
    MPI_Datatype pair;
    MPI_Request request[2];
    MPI_Win window;
    MPI_Info info;
    int rank, *memory;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Comm_create_from_group(all, "org.example.again", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_rank(copy, &rank);
    MPI_Info_create(&info);
    MPI_Type_contiguous(2 + round, MPI_INT, &pair);
    MPI_Type_commit(&pair);

    int out[4] = {rank, round, 7, 8}, in[4] = {0};
    MPI_Send_init(out, 1, pair, 1 - rank, round, copy, &request[0]);
    MPI_Recv_init(in, 1, pair, 1 - rank, round, copy, &request[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Startall(2, request);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);

    MPI_Win_allocate(sizeof *memory, sizeof *memory, info, copy, &memory, &window);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    MPI_Put(out, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    int wrong = in[0] != 1 - rank || in[1] != round || *memory != 1 - rank;
    MPI_Win_free(&window);

    MPI_Type_free(&pair);
    MPI_Info_free(&info);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
    MPI_Group_free(&all);
    MPI_Session_finalize(&session);
    return wrong;
}

int main(void)
{
    int wrong = 0;
    for (int round = 0; round < 2; round++)
        wrong += once(round);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
