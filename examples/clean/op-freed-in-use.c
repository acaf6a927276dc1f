// Reduction operations that are freed before the reductions that use them are complete.
//
// Correct: MPI_Op_free only marks the operation (MPI 4.1, 6.9.5 and 2.5.1); one that does not commute is applied in the
// order of the ranks, also to values of a derived type with gaps.
//
// ranks: 4

#include <mpi.h>
#include <stddef.h>

typedef struct {
    char used;
    int digits; /* the gap before it is no part of the value */
    double scale;
} Number;

/* writes the digits of the right one behind those of the left one */
static void append(void *left, void *right, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++) {
        Number *l = (Number *)left + i, *r = (Number *)right + i;
        r->digits += l->digits * (int)r->scale;
        r->scale *= l->scale;
        r->used = (char)(l->used + r->used);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op op;
    MPI_Datatype fields, number;
    MPI_Type_create_struct(3, (int[]){1, 1, 1},
                           (MPI_Aint[]){offsetof(Number, used), offsetof(Number, digits), offsetof(Number, scale)},
                           (MPI_Datatype[]){MPI_CHAR, MPI_INT, MPI_DOUBLE}, &fields);
    MPI_Type_create_resized(fields, 0, sizeof(Number), &number);
    MPI_Type_free(&fields);
    MPI_Type_commit(&number);
    MPI_Op_create(append, 0, &op);
    Number mine[2] = {{1, rank + 1, 10}, {1, 0, 10}}, all[2] = {{0, 0, 0}, {0, 0, 0}}, upto[2];
    MPI_Request requests[2];
    MPI_Iallreduce(mine, all, 2, number, op, MPI_COMM_WORLD, &requests[0]);
    MPI_Iscan(mine, upto, 2, number, op, MPI_COMM_WORLD, &requests[1]);
    MPI_Op_free(&op);
    MPI_Type_free(&number);
    wrong += op != MPI_OP_NULL;
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    wrong += all[0].digits != 1234 || all[0].used != 4 || all[1].scale != 10000;
    wrong += upto[0].digits != (int[]){1, 12, 123, 1234}[rank];
    MPI_Finalize();
    return wrong != 0;
}
