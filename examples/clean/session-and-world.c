// A library uses a session of its own beside the MPI_Init of the program, and outlives its MPI_Finalize.
//
// Correct: the session ends after MPI_Finalize; its communicators stay valid until then.
//
// ranks: 3
// mpi: mpich !intel (Open MPI 4.1 implements MPI 3.1; Intel MPI refuses MPI_Init behind a session)

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Init(&argc, &argv);
    int rank, size, sum = 0, first = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Group group;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm library;
    MPI_Comm_create_from_group(group, "library", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &library);
    MPI_Group_free(&group);

    /* the same tag on both communicators */
    if (rank == 0) {
        double d = 1.5;
        for (int i = 1; i < size; i++) {
            MPI_Request request;
            MPI_Isend(&d, 1, MPI_DOUBLE, i, 0, library, &request);
            MPI_Send(&i, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    } else {
        double d;
        MPI_Recv(&first, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&d, 1, MPI_DOUBLE, 0, 0, library, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();

    MPI_Bcast(&sum, 1, MPI_INT, size - 1, library);
    if (sum != size * (size - 1) / 2)
        printf("rank %d: sum %d\n", rank, sum);
    MPI_Comm_free(&library);
    MPI_Session_finalize(&session);
    return 0;
}
