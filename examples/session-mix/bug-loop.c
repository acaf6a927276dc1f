// Messages in the world model and in a library with a session are taken as they come.
//
// What is wrong: requests of a session and of the world model are in one array, at each turn of the loop others: one
// mistake.
// One rank alone: Open MPI 5 ends the program there, which would end others before they make the call.
//
// ranks: 1
// mpi: mpich openmpi-5.0 (Open MPI 4.1 implements MPI 3.1)
// expect: session-mix ranks 0

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Group all;
    MPI_Comm library;
    int rank, size, in[2];
    MPI_Init(&argc, &argv);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Comm_create_from_group(all, "org.example.ring", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &library);
    MPI_Group_free(&all);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;

    MPI_Request requests[4];
    MPI_Irecv(&in[0], 1, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&rank, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(&in[1], 1, MPI_INT, left, 0, library, &requests[2]);
    MPI_Isend(&size, 1, MPI_INT, right, 0, library, &requests[3]);
    for (int i = 0; i < 4; i++) {
        int index;
        MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE); //~ session-mix
    }

    MPI_Comm_free(&library);
    MPI_Session_finalize(&session);
    MPI_Finalize();
    return 0;
}
