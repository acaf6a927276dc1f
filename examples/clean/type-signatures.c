// One message of six integers, sent and received through every pair of seven types.
//
// Correct: types match by their sequence of basic types; gaps, order of the displacements and nesting do not count
// (MPI 4.1, 3.3.1 and 5.1.11).
//
// ranks: 2

#include <mpi.h>
#include <string.h>

enum { TYPES = 7, ROOM = 24 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, counts[TYPES] = {6, 1, 2, 3, 1, 1, 1};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype types[TYPES] = {MPI_INT};
    MPI_Type_contiguous(6, MPI_INT, &types[1]);
    MPI_Type_vector(3, 1, 3, MPI_INT, &types[2]);
    MPI_Type_contiguous(2, MPI_INT, &types[3]);
    MPI_Type_indexed(3, (int[]){1, 3, 2}, (int[]){20, 0, 10}, MPI_INT, &types[4]);
    MPI_Type_create_subarray(2, (int[]){4, 5}, (int[]){2, 3}, (int[]){1, 1}, MPI_ORDER_C, MPI_INT, &types[5]);
    MPI_Type_create_struct(3, (int[]){1, 4, 1}, (MPI_Aint[]){40, 4, 60},
                           (MPI_Datatype[]){MPI_INT, MPI_INT, MPI_INT}, &types[6]);
    for (int t = 1; t < TYPES; t++)
        MPI_Type_commit(&types[t]);

    for (int s = 0; s < TYPES; s++) {
        for (int r = 0; r < TYPES; r++) {
            int place[ROOM], flat[6], back[6], position = 0;
            memset(place, -1, sizeof place);
            if (rank == 0) {
                for (int i = 0; i < 6; i++)
                    flat[i] = 100 * s + 10 * r + i;
                MPI_Unpack(flat, sizeof flat, &position, place, counts[s], types[s], MPI_COMM_SELF);
                MPI_Send(place, counts[s], types[s], 1, s, MPI_COMM_WORLD);
            } else {
                MPI_Recv(place, counts[r], types[r], 0, s, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Pack(place, counts[r], types[r], back, sizeof back, &position, MPI_COMM_SELF);
                for (int i = 0; i < 6; i++)
                    wrong += back[i] != 100 * s + 10 * r + i;
            }
        }
    }
    for (int t = 1; t < TYPES; t++)
        MPI_Type_free(&types[t]);
    MPI_Finalize();
    return wrong != 0;
}
