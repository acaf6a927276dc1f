// Completion calls over arrays in which little or nothing is active.
//
// Correct: null and inactive requests count as complete, with an empty status; where there is nothing active the index
// or the count is MPI_UNDEFINED; inactive persistent requests stay (MPI 4.1, 3.7.3, 3.7.5 and 3.9).
//
// ranks: 2

#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, index, count, flag, indices[4], in = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int out = rank;
    MPI_Request persistent[2], null = MPI_REQUEST_NULL;
    MPI_Send_init(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &persistent[0]);
    MPI_Recv_init(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &persistent[1]);
    MPI_Request mixed[4] = {MPI_REQUEST_NULL, persistent[0], MPI_REQUEST_NULL, persistent[1]};
    MPI_Status statuses[4], status;

    for (int round = 0; round < 2; round++) {
        MPI_Waitall(4, mixed, statuses);
        wrong += statuses[1].MPI_SOURCE != MPI_ANY_SOURCE || statuses[3].MPI_TAG != MPI_ANY_TAG;
        MPI_Testall(4, mixed, &flag, MPI_STATUSES_IGNORE);
        wrong += !flag;
        MPI_Waitany(4, mixed, &index, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        wrong += index != MPI_UNDEFINED || count != 0;
        MPI_Testany(4, mixed, &index, &flag, MPI_STATUS_IGNORE);
        wrong += index != MPI_UNDEFINED || !flag;
        MPI_Waitsome(4, mixed, &count, indices, MPI_STATUSES_IGNORE);
        wrong += count != MPI_UNDEFINED;
        MPI_Testsome(4, mixed, &count, indices, statuses);
        wrong += count != MPI_UNDEFINED;
        MPI_Wait(&mixed[1], MPI_STATUS_IGNORE);
        MPI_Test(&mixed[3], &flag, MPI_STATUS_IGNORE);
        wrong += !flag || mixed[1] == MPI_REQUEST_NULL;
        MPI_Start(&mixed[3]);
        MPI_Start(&mixed[1]);
        MPI_Waitall(4, mixed, MPI_STATUSES_IGNORE);
        wrong += in != 1 - rank;
        in = -1;
    }
    MPI_Wait(&null, MPI_STATUS_IGNORE);
    MPI_Test(&null, &flag, &status);
    MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
    MPI_Waitany(0, NULL, &index, MPI_STATUS_IGNORE);
    MPI_Waitsome(0, NULL, &count, indices, MPI_STATUSES_IGNORE);
    MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE);
    wrong += !flag || index != MPI_UNDEFINED || count != MPI_UNDEFINED;
    MPI_Startall(0, &null);
    MPI_Request_free(&mixed[1]);
    MPI_Request_free(&mixed[3]);
    wrong += mixed[1] != MPI_REQUEST_NULL;
    MPI_Finalize();
    return wrong != 0;
}
