// Neighbourhood collectives in which two processes are neighbours more than once: several edges of a graph with
// different amounts and types, a ring of two processes, and a ring of one.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int other = 1 - rank;

    // Two edges to the other process and one to itself. They belong together in their order.
    int neighbors[3] = {other, rank, other};
    MPI_Comm graph;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, neighbors, MPI_UNWEIGHTED, 3, neighbors, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph);
    int counts[2][3] = {{1, 5, 2}, {3, 6, 4}};
    int places[3] = {0, 8, 16}, out[24] = {0}, in[24];
    int expected[3] = {counts[other][0], counts[rank][1], counts[other][2]};
    MPI_Neighbor_alltoallv(out, counts[rank], places, MPI_INT, in, expected, places, MPI_INT, graph);

    double values[2] = {0.5, 1.5}, got[2];
    MPI_Datatype types[2][3] = {{MPI_INT, MPI_DOUBLE, MPI_CHAR}, {MPI_FLOAT, MPI_DOUBLE, MPI_SHORT}};
    MPI_Datatype from[3] = {types[other][0], types[rank][1], types[other][2]};
    int ones[3] = {1, 1, 1};
    MPI_Aint bytes[3] = {0, 8, 16};
    char sent[24] = {0}, received[24];
    MPI_Neighbor_alltoallw(sent, ones, bytes, types[rank], received, ones, bytes, from, graph);

    // The neighbours in both directions are the same process; every edge carries as much.
    int dims[1] = {2}, periods[1] = {1}, both[2];
    MPI_Comm ring, copy, alone;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
    MPI_Comm_dup(ring, &copy);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, both, 1, MPI_INT, ring);
    MPI_Neighbor_alltoall(values, 1, MPI_DOUBLE, got, 1, MPI_DOUBLE, copy);
    dims[0] = 1;
    MPI_Cart_create(MPI_COMM_SELF, 1, dims, periods, 0, &alone);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, both, 1, MPI_INT, alone);

    if (rank == 0)
        printf("neighbours %d and %d\n", both[0], both[1]);
    MPI_Comm_free(&alone);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&graph);
    MPI_Finalize();
    return 0;
}
