// Stands in for an MPI library that calls the free_fn of a generalized request twice, or never.
#include <mpi.h>
#include <stdlib.h>

static MPI_Grequest_free_function *function;
static void *argument;

int MPI_Init(int *argc, char ***argv)
{
    return PMPI_Init(argc, argv);
}

static int nothing(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

int MPI_Grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *release,
                       MPI_Grequest_cancel_function *cancel, void *state, MPI_Request *request)
{
    function = release;
    argument = state;
    return PMPI_Grequest_start(query, getenv("NEVER") ? nothing : release, cancel, state, request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    int result = PMPI_Wait(request, status);
    if (!getenv("NEVER"))
        function(argument);
    return result;
}
