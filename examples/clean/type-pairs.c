// The types of MPI_MAXLOC are also types like others.
//
// Correct: MPI_DOUBLE_INT is a structure of a double and an integer, and MPI_2INT two integers in a row
// (MPI 4.1, 6.9.4), and so they match a program's own types.
//
// ranks: 2

#include <mpi.h>
#include <stddef.h>

typedef struct {
    double value;
    int place;
} Pair;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, numbers[6];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype own, sized;
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){offsetof(Pair, value), offsetof(Pair, place)},
                           (MPI_Datatype[]){MPI_DOUBLE, MPI_INT}, &own);
    MPI_Type_create_resized(own, 0, sizeof(Pair), &sized);
    MPI_Type_commit(&sized);
    Pair pairs[3];
    if (rank == 0) {
        for (int i = 0; i < 3; i++) {
            pairs[i] = (Pair){1.5 * i, i};
            numbers[2 * i] = numbers[2 * i + 1] = 7 * i;
        }
        MPI_Send(pairs, 3, MPI_DOUBLE_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(pairs, 3, sized, 1, 1, MPI_COMM_WORLD);
        MPI_Send(numbers, 3, MPI_2INT, 1, 2, MPI_COMM_WORLD);
        MPI_Send(numbers, 6, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else {
        for (int i = 0; i < 4; i++) {
            MPI_Datatype type[] = {sized, MPI_DOUBLE_INT, MPI_INT, MPI_2INT};
            int count[] = {3, 3, 6, 3};
            MPI_Recv(i < 2 ? (void *)pairs : (void *)numbers, count[i], type[i], 0, i, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        }
        for (int i = 0; i < 3; i++)
            wrong += pairs[i].value != 1.5 * i || pairs[i].place != i || numbers[2 * i + 1] != 7 * i;
    }
    Pair best = {rank == 1 ? 9 : 3, rank};
    MPI_Allreduce(MPI_IN_PLACE, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    wrong += best.place != 1;
    MPI_Type_free(&own);
    MPI_Type_free(&sized);
    MPI_Finalize();
    return wrong != 0;
}
