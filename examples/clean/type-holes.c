// Structures with padding: the padding is no part of the message.
//
// Correct: only what the type map names is read and written; uninitialized padding is not sent, and other data may
// live in the holes of a receive (MPI 4.1, 5.1.11).
//
// ranks: 2

#include <mpi.h>
#include <stddef.h>

typedef struct {
    char kind; /* seven bytes of padding follow, where each rank keeps notes of its own */
    double value;
    short level;
} Item;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype fields, item;
    MPI_Type_create_struct(3, (int[]){1, 1, 1},
                           (MPI_Aint[]){offsetof(Item, kind), offsetof(Item, value), offsetof(Item, level)},
                           (MPI_Datatype[]){MPI_CHAR, MPI_DOUBLE, MPI_SHORT}, &fields);
    MPI_Type_create_resized(fields, 0, sizeof(Item), &item);
    MPI_Type_commit(&item);
    MPI_Type_free(&fields);

    Item items[5];
    MPI_Request request;
    char *bytes = (char *)items;
    if (rank == 0) {
        for (int i = 0; i < 5; i++)
            items[i] = (Item){(char)('a' + i), 0.5 * i, (short)i};
        MPI_Isend(items, 5, item, 1, 0, MPI_COMM_WORLD, &request);
    } else {
        MPI_Irecv(items, 5, item, 0, 0, MPI_COMM_WORLD, &request);
    }
    /* the holes are the program's own while the operation is pending, for writing too */
    for (int i = 0; i < 5; i++)
        for (size_t at = 1; at < offsetof(Item, value); at++)
            bytes[i * sizeof(Item) + at] = (char)(10 * rank + i);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 5; i++) {
        wrong += items[i].kind != 'a' + i || items[i].value != 0.5 * i || items[i].level != i;
        for (size_t at = 1; at < offsetof(Item, value); at++)
            wrong += bytes[i * sizeof(Item) + at] != 10 * rank + i;
    }
    MPI_Type_free(&item);
    MPI_Finalize();
    return wrong != 0;
}
