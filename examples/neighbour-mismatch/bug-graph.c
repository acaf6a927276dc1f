// A tree of processes: data go from the root to the leaves.
//
// What is wrong: each process names its children as destinations and as sources, too. Its children do not send to it. A
// neighbourhood collective on this graph would wait for data that nobody sends.
// The fix: the source of a process is its parent.
//
// ranks: 4
// expect: neighbour-mismatch ranks 0,1,2,3

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, children[2], degree = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int child = 2 * rank + 1; child <= 2 * rank + 2 && child < size; child++)
        children[degree++] = child;

    MPI_Comm tree;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, children, MPI_UNWEIGHTED, //~ neighbour-mismatch
                                   degree, children, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &tree);
    MPI_Comm_free(&tree);
    MPI_Finalize();
    return 0;
}
