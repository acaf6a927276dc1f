// Arrays that are NULL where nothing is read or written: of no elements, not significant on this rank, results that nobody
// wants, or of blocks without elements.
//
// ranks: 2

#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, x = 1, all[2], counts[2] = {0, 0}, ones[2] = {1, 1}, displs[2] = {0, 1}, none;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
    MPI_Testsome(0, NULL, &none, NULL, MPI_STATUSES_IGNORE);
    MPI_Request requests[2];
    MPI_Isend(&x, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&x, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Recv(&all[0], 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    if (rank == 0)
        MPI_Gatherv(&x, 1, MPI_INT, all, ones, displs, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Gatherv(&x, 1, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, all, counts, counts, (MPI_Datatype[]){MPI_INT, MPI_INT}, MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, ones, displs, MPI_INT, MPI_COMM_WORLD);

    MPI_Group world, same, empty;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_excl(world, 0, NULL, &same);
    MPI_Group_incl(world, 0, NULL, &empty);
    MPI_Group_translate_ranks(world, 0, NULL, same, NULL);
    // Each rank once, though the ranges are interleaved; and a range of nothing.
    MPI_Group_free(&same);
    MPI_Group_range_incl(world, 2, (int[2][3]){{0, size - 1, 2}, {1, size - 1, 2}}, &same);
    MPI_Comm part;
    MPI_Comm_create(MPI_COMM_WORLD, same, &part);
    MPI_Comm_free(&part);
    MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &part);
    MPI_Group_free(&same);
    if (empty != MPI_GROUP_EMPTY)
        MPI_Group_free(&empty);
    MPI_Group_free(&world);

    // A graph without edges; weights that are not there.
    MPI_Comm graph;
    int index[2] = {0, 0};
    MPI_Graph_create(MPI_COMM_WORLD, size, index, all, 0, &graph);
    MPI_Graph_get(graph, size, 0, index, all);
    MPI_Graph_neighbors(graph, rank, 0, all);
    MPI_Comm_free(&graph);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &rank, MPI_UNWEIGHTED, 1, &rank, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &graph);
    MPI_Dist_graph_neighbors(graph, 1, all, MPI_UNWEIGHTED, 1, displs, MPI_UNWEIGHTED);
    MPI_Comm_free(&graph);

    MPI_Datatype type;
    MPI_Type_indexed(0, NULL, NULL, MPI_INT, &type);
    MPI_Type_free(&type);
    MPI_Type_dup(MPI_INT, &type);
    MPI_Datatype old;
    MPI_Type_get_contents(type, 0, 0, 1, NULL, NULL, &old);
    MPI_Type_free(&type);

    // One buffer behind the other.
    char space[2][MPI_BSEND_OVERHEAD];
    void *back;
    for (int i = 0; i < 2; i++) {
        MPI_Buffer_attach(space[i], sizeof space[i]);
        MPI_Buffer_detach(&back, &size);
    }
    MPI_Finalize();
    return 0;
}
