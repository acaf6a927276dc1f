// Arrays of requests that are not there, or far too long: the library answers with an error, and the program goes on.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int failed = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (argc > 1 && strcmp(argv[1], "null") == 0) {
        // So that no compiler knows it.
        MPI_Request *volatile nothing = NULL;
        enum { COUNT = 5000 };
        MPI_Status *statuses = malloc(sizeof(MPI_Status) * COUNT);
        failed += MPI_Waitall(COUNT, nothing, statuses) != MPI_SUCCESS;
        failed += MPI_Waitall(2147483647, nothing, MPI_STATUSES_IGNORE) != MPI_SUCCESS;
        free(statuses);
    }
    printf("%d failed\n", failed);
    MPI_Finalize();
    return 0;
}
