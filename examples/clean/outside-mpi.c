// The calls that are allowed before MPI_Init and after MPI_Finalize.
//
// Correct: version, library version and the two questions whether MPI runs may be asked at any time; the
// program goes on working after MPI_Finalize and may end as it likes.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int version, subversion, length, before, during, after, finalized, rank;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Get_version(&version, &subversion);
    MPI_Get_library_version(library, &length);
    MPI_Initialized(&before);

    MPI_Init(NULL, NULL);
    MPI_Initialized(&during);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double start = MPI_Wtime();
    int forward = MPI_Wtime() >= start && MPI_Wtick() > 0;
    MPI_Finalize();

    MPI_Initialized(&after);
    MPI_Finalized(&finalized);
    MPI_Get_version(&version, &subversion);
    printf("rank %d: %d %d %d %d, MPI %s, time goes forward: %d\n", rank, before, during, after, finalized,
           version >= 3 ? "3 or later" : "old", forward);
    exit(EXIT_SUCCESS);
}
