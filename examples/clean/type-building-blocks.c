// Types that serve only to build others are never committed; predefined types are committed, and one type twice.
//
// Correct: only types of communication need MPI_Type_commit, which may be repeated and may be called for predefined
// types; a duplicate of a committed type is committed (MPI 4.1, 5.1.9 and 5.1.10).
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, cube[3][4][5];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype row, plane, corner, twin, integer = MPI_INT, copy, pair_copy;
    MPI_Type_contiguous(2, MPI_INT, &row);                             /* never committed */
    MPI_Type_create_hvector(2, 1, sizeof cube[0][0], row, &plane);     /* nor this */
    MPI_Type_create_hvector(2, 1, sizeof cube[0], plane, &corner);
    MPI_Type_free(&row); /* what was built of it lives on */
    MPI_Type_free(&plane);
    MPI_Type_commit(&corner);
    MPI_Type_commit(&corner);
    MPI_Type_dup(corner, &twin);
    MPI_Type_commit(&integer);
    MPI_Type_dup(MPI_INT, &copy);
    MPI_Type_dup(MPI_DOUBLE_INT, &pair_copy);

    for (int i = 0; i < 60; i++)
        cube[i / 20][i / 5 % 4][i % 5] = rank == 0 ? i : -1;
    if (rank == 0) {
        MPI_Send(&cube[1][1][1], 1, corner, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&cube[0][0][0], 8, copy, 1, 1, MPI_COMM_WORLD);
        MPI_Send(&cube[1][2][3], 1, integer, 1, 2, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&cube[0][0][0], 8, copy, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 8; i++)
            wrong += cube[0][i / 5][i % 5] != 20 * (1 + i / 4) + 5 * (1 + i / 2 % 2) + 1 + i % 2;
        MPI_Recv(&cube[1][0][0], 1, twin, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += cube[1][1][1] != 3 || cube[2][1][1] != 7;
        MPI_Recv(&cube[2][2][2], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += cube[2][2][2] != 33;
    }
    MPI_Type_free(&corner);
    MPI_Type_free(&twin);
    MPI_Type_free(&copy);
    MPI_Type_free(&pair_copy);
    MPI_Finalize();
    return wrong != 0;
}
