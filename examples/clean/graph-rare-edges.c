// A distributed graph with a double edge, a loop, weights on some ranks only, and a rank without neighbours.
//
// Correct: the lists of all ranks describe one graph, each its part of it (MPI 4.1, 8.5.4); a rank without neighbours
// takes part with empty lists and no buffers (8.6).
//
// ranks: 4

#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, in_degree, out_degree, weighted, in[8], out[4];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm graph;
    /* 0 -> 1, 0 -> 1, 1 -> 1, 2 -> 0; rank 3 is alone */
    const int in_degrees[4] = {1, 3, 0, 0}, out_degrees[4] = {2, 1, 1, 0};
    const int sources[4][3] = {{2}, {0, 0, 1}, {0}, {0}}, targets[4][2] = {{1, 1}, {1}, {0}, {0}};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in_degrees[rank], rank == 3 ? NULL : sources[rank], MPI_UNWEIGHTED,
                                   out_degrees[rank], rank == 3 ? NULL : targets[rank], MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &in_degree, &out_degree, &weighted);
    wrong += in_degree != in_degrees[rank] || out_degree != out_degrees[rank] || weighted;
    out[0] = out[1] = 100 + rank;
    for (int i = 0; i < 8; i++)
        in[i] = -1;
    /* amounts depend on the sender; a rank without targets sends nothing */
    const int amount = rank == 0 ? 2 : 1, amounts[3] = {rank == 1 ? 2 : 1, 2, 1}, places[3] = {0, 2, 4};
    MPI_Neighbor_allgatherv(out_degree ? out : NULL, out_degree ? amount : 0, MPI_INT, in_degree ? in : NULL,
                            amounts, places, MPI_INT, graph);
    if (rank == 1)
        wrong += in[0] != 100 || in[1] != 100 || in[2] != 100 || in[3] != 100 || in[4] != 101 || in[5] != -1;
    wrong += rank == 0 && (in[0] != 102 || in[1] != -1);
    MPI_Comm_free(&graph);

    /* the same graph, all of it told by rank 2 */
    if (rank == 2)
        MPI_Dist_graph_create(MPI_COMM_WORLD, 3, (int[]){0, 1, 2}, (int[]){2, 1, 1}, (int[]){1, 1, 1, 0},
                              (int[]){1, 2, 3, 4}, MPI_INFO_NULL, 0, &graph);
    else
        MPI_Dist_graph_create(MPI_COMM_WORLD, 0, NULL, NULL, NULL, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &in_degree, &out_degree, &weighted);
    wrong += in_degree != in_degrees[rank] || out_degree != out_degrees[rank] || !weighted;
    MPI_Comm_free(&graph);
    MPI_Finalize();
    return wrong != 0;
}
