// The twin of bug-graph.c: each process but the root names its parent as its source, and data go down the tree.
//
// ranks: 4

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, children[2], degree = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int child = 2 * rank + 1; child <= 2 * rank + 2 && child < size; child++)
        children[degree++] = child;
    int parent = (rank - 1) / 2;

    MPI_Comm tree;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank > 0, &parent, MPI_UNWEIGHTED, degree, children, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &tree);
    double mine = rank, got = 0;
    MPI_Neighbor_allgather(&mine, 1, MPI_DOUBLE, &got, 1, MPI_DOUBLE, tree);
    MPI_Comm_free(&tree);
    MPI_Finalize();
    return got != (rank > 0 ? parent : 0);
}
