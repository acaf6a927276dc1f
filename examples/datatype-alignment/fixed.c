// Rank 0 sends particles and two rows of a table to rank 1.
//
// Correct: displacements and extents are those of the compiler; the rows of the receiving datatype do not overlap. Those of a
// datatype that is only sent may.
//
// ranks: 2

#include <mpi.h>
#include <stddef.h>

struct particle {
    char kind;
    double weight;
};

int main(int argc, char **argv)
{
    static struct particle particles[10];
    int rank, table[2][8] = {{1, 2, 3}, {4, 5, 6}}, lengths[2] = {1, 1};
    MPI_Aint places[2] = {offsetof(struct particle, kind), offsetof(struct particle, weight)};
    MPI_Datatype parts[2] = {MPI_CHAR, MPI_DOUBLE}, bare, type, rows;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_struct(2, lengths, places, parts, &bare);
    MPI_Type_create_resized(bare, 0, sizeof(struct particle), &type);
    MPI_Type_commit(&type);
    if (rank == 0) {
        MPI_Type_vector(2, 6, 4, MPI_INT, &rows);
        MPI_Type_commit(&rows);
        MPI_Send(particles, 10, type, 1, 0, MPI_COMM_WORLD);
        MPI_Send(table, 1, rows, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Type_vector(2, 6, 8, MPI_INT, &rows);
        MPI_Type_commit(&rows);
        MPI_Recv(particles, 10, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(table, 1, rows, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&rows);
    MPI_Type_free(&type);
    MPI_Type_free(&bare);
    MPI_Finalize();
    return 0;
}
