// A program tries what the library allows: wrong arguments under MPI_ERRORS_RETURN, and looks at the answers.
//
// Correct in the sense that nothing needs mending: the handler returns, every code is looked at, and the call has done
// nothing when an argument was refused (MPI 4.1, 9.3 and 9.4). mpivet may note it, no more.
//
// ranks: 2

#include <mpi.h>

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, wrong = 0, data = 0, in = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int refused[] = {
        class_of(MPI_Send(&data, 1, MPI_INT, size, 0, MPI_COMM_WORLD)),
        class_of(MPI_Send(&data, 1, MPI_INT, 1 - rank, -5, MPI_COMM_WORLD)),
        class_of(MPI_Send(&data, -1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD)),
        class_of(MPI_Send(&data, 1, MPI_DATATYPE_NULL, 1 - rank, 0, MPI_COMM_WORLD)),
        class_of(MPI_Bcast(&data, 1, MPI_INT, -1, MPI_COMM_WORLD)),
    };
    const int expected[] = {MPI_ERR_RANK, MPI_ERR_TAG, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_ROOT};
    for (int i = 0; i < 5; i++)
        wrong += refused[i] != expected[i];

    /* communication goes on */
    int three = 3 + rank;
    MPI_Request request;
    MPI_Isend(&three, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &request);
    MPI_Recv(&in, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += in != 4 - rank;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Finalize();
    return wrong != 0;
}
