// Names that try to get out of where they are shown: of a source file, of a function's place, of a communicator. Two ranks
// wait for each other.
//
// ranks: 2

#include <mpi.h>

#line 10 "src/\"q\"<b>&amp; ]]>%,\n::error::\033[31m\r-->`|\\ .c"
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, in;
    MPI_Comm comm;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "\"q\"<b>&amp; ]]>%,\n::error::\033[31m\r](http://x) -->`|\\");
    MPI_Recv(&in, 1, MPI_INT, 1 - rank, 0, comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
