// A halo exchange in two dimensions with all eight neighbours at once; the sent faces share the corners.
//
// Correct: the faces that are sent overlap each other, which is reading only; the received ones do not (MPI 4.1,
// 3.7.2). On a periodic grid of two by two a rank meets the same neighbour several times.
//
// ranks: 4

#include <mpi.h>

enum { N = 6, SIDE = N + 2 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, place[2], started = 0, cells[SIDE][SIDE];
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){2, 2}, (int[]){1, 1}, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, place);
    for (int i = 0; i < SIDE * SIDE; i++)
        cells[i / SIDE][i % SIDE] = -1;
    for (int y = 1; y <= N; y++)
        for (int x = 1; x <= N; x++)
            cells[y][x] = (place[0] * N + y - 1) * 2 * N + place[1] * N + x - 1;

    MPI_Request requests[16];
    for (int tag = 0; tag < 9; tag++) {
        int dy = tag / 3 - 1, dx = tag % 3 - 1, to, from;
        if (tag == 4)
            continue;
        int size[2] = {SIDE, SIDE}, part[2] = {dy ? 1 : N, dx ? 1 : N};
        int inner[2] = {dy > 0 ? N : 1, dx > 0 ? N : 1};
        int outer[2] = {dy > 0 ? 0 : dy < 0 ? N + 1 : 1, dx > 0 ? 0 : dx < 0 ? N + 1 : 1};
        MPI_Datatype face, halo;
        MPI_Type_create_subarray(2, size, part, inner, MPI_ORDER_C, MPI_INT, &face);
        MPI_Type_create_subarray(2, size, part, outer, MPI_ORDER_C, MPI_INT, &halo);
        MPI_Type_commit(&face);
        MPI_Type_commit(&halo);
        MPI_Cart_rank(grid, (int[]){place[0] + dy, place[1] + dx}, &to); /* periodic: any coordinate will do */
        MPI_Cart_rank(grid, (int[]){place[0] - dy, place[1] - dx}, &from);
        MPI_Irecv(cells, 1, halo, from, tag, grid, &requests[started++]);
        MPI_Isend(cells, 1, face, to, tag, grid, &requests[started++]);
        MPI_Type_free(&face);
        MPI_Type_free(&halo);
    }
    MPI_Waitall(started, requests, MPI_STATUSES_IGNORE);
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            int row = (place[0] * N + y - 1 + 2 * N) % (2 * N), column = (place[1] * N + x - 1 + 2 * N) % (2 * N);
            wrong += cells[y][x] != row * 2 * N + column;
        }
    }
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return wrong != 0;
}
