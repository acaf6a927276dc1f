// Cartesian, graph and distributed graph topologies, with neighbourhood collectives.
//
// Correct: the shifts of a non-periodic direction give MPI_PROC_NULL; a rank may be its own neighbour, and
// a neighbour twice (periodic direction of length 2).
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    /* a grid of 2 x 2, periodic in the second direction only */
    MPI_Comm grid, row;
    MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){2, 2}, (int[]){0, 1}, 0, &grid);
    int up, down, left, right, mine = 10 * (rank + 1), got[4] = {-1, -1, -1, -1}, sums[3] = {0};
    MPI_Cart_shift(grid, 0, 1, &up, &down);
    MPI_Cart_shift(grid, 1, 1, &left, &right);
    MPI_Sendrecv(&mine, 1, MPI_INT, up, 0, &got[1], 1, MPI_INT, down, 0, grid, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&mine, 1, MPI_INT, right, 1, &got[2], 1, MPI_INT, left, 1, grid, MPI_STATUS_IGNORE);
    sums[0] = got[1] + got[2];
    for (int i = 0; i < 4; i++)
        got[i] = -1;
    MPI_Neighbor_allgather(&mine, 1, MPI_INT, got, 1, MPI_INT, grid);
    for (int i = 0; i < 4; i++)
        sums[0] += got[i];
    MPI_Cart_sub(grid, (int[]){0, 1}, &row);
    MPI_Allreduce(MPI_IN_PLACE, &sums[0], 1, MPI_INT, MPI_SUM, row);

    /* a star: everybody is a neighbour of rank 0 */
    MPI_Comm star;
    MPI_Graph_create(MPI_COMM_WORLD, 4, (int[]){3, 4, 5, 6}, (int[]){1, 2, 3, 0, 0, 0}, 0, &star);
    int count, neighbours[3];
    MPI_Graph_neighbors_count(star, rank, &count);
    MPI_Graph_neighbors(star, rank, 3, neighbours);
    MPI_Neighbor_alltoall((int[]){rank, rank + 1, rank + 2}, 1, MPI_INT, got, 1, MPI_INT, star);
    for (int i = 0; i < count; i++)
        sums[1] += got[i] * (1 + neighbours[i]);

    /* a directed ring */
    MPI_Comm ring;
    int next = (rank + 1) % 4, previous = (rank + 3) % 4;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &previous, MPI_UNWEIGHTED, 1, &next,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    MPI_Request request;
    MPI_Ineighbor_allgather(&mine, 1, MPI_INT, &sums[2], 1, MPI_INT, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    printf("rank %d: %d %d %d\n", rank, sums[0], sums[1], sums[2]);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
    MPI_Comm_free(&star);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
