// A message that is packed piece by piece, nested in another type, and unpacked as something else.
//
// Correct: a packed message may be received with any type whose signature is that of the packed pieces in order, and
// MPI_PACKED may be part of a derived type (MPI 4.1, 5.2 and 3.3.1).
//
// ranks: 2

#include <mpi.h>
#include <stddef.h>

typedef struct {
    int n;
    double x[4];
    int last;
} Record;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, position = 0, room;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype record;
    MPI_Type_create_struct(3, (int[]){1, 4, 1},
                           (MPI_Aint[]){offsetof(Record, n), offsetof(Record, x), offsetof(Record, last)},
                           (MPI_Datatype[]){MPI_INT, MPI_DOUBLE, MPI_INT}, &record);
    MPI_Type_commit(&record);
    MPI_Pack_size(1, record, MPI_COMM_WORLD, &room);
    char packed[200];
    wrong += room > (int)sizeof packed;
    Record mine = {7, {1, 2, 3, 4}, 8};
    if (rank == 0) {
        MPI_Pack(&mine.n, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
        MPI_Pack(&mine.x[0], 1, MPI_DOUBLE, packed, sizeof packed, &position, MPI_COMM_WORLD);
        MPI_Pack(&mine.x[1], 3, MPI_DOUBLE, packed, sizeof packed, &position, MPI_COMM_WORLD);
        MPI_Pack(&mine.last, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
        MPI_Send(packed, position, MPI_PACKED, 1, 0, MPI_COMM_WORLD);
        MPI_Send(packed, position, MPI_PACKED, 1, 1, MPI_COMM_WORLD);
        MPI_Datatype split; /* two halves of the packed bytes are still the packed bytes */
        MPI_Type_indexed(2, (int[]){13, position - 13}, (int[]){0, 13}, MPI_PACKED, &split);
        MPI_Type_commit(&split);
        MPI_Send(packed, 1, split, 1, 2, MPI_COMM_WORLD);
        MPI_Type_free(&split);
        MPI_Send(&mine, 1, record, 1, 3, MPI_COMM_WORLD);
    }
    for (int tag = 0; tag < 4 && rank == 1; tag++) {
        Record got = {0};
        if (tag == 0) {
            MPI_Recv(&got, 1, record, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(packed, sizeof packed, MPI_PACKED, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            position = 0;
            MPI_Unpack(packed, sizeof packed, &position, &got.n, 1, MPI_INT, MPI_COMM_WORLD);
            MPI_Unpack(packed, sizeof packed, &position, got.x, 4, MPI_DOUBLE, MPI_COMM_WORLD);
            MPI_Unpack(packed, sizeof packed, &position, &got.last, 1, MPI_INT, MPI_COMM_WORLD);
        }
        wrong += got.n != 7 || got.x[0] != 1 || got.x[3] != 4 || got.last != 8;
    }
    MPI_Type_free(&record);
    MPI_Finalize();
    return wrong != 0;
}
