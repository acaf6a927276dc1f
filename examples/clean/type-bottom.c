// A linked list travels in one message, and variables from stack, heap and static memory in another.
//
// Correct: a type of absolute addresses is used with MPI_BOTTOM, in messages and in collective operations
// (MPI 4.1, 5.1.12).
//
// ranks: 3

#include <mpi.h>
#include <stdlib.h>

enum { NODES = 6 };

typedef struct Node {
    struct Node *next;
    double value;
} Node;

static int fixed;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, lengths[NODES];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Node *list = NULL;
    MPI_Aint places[NODES];
    for (int i = 0; i < NODES; i++) {
        Node *node = malloc(sizeof *node);
        *node = (Node){list, rank == 0 ? i + 0.5 : 0};
        MPI_Get_address(&node->value, &places[i]);
        lengths[i] = 1;
        list = node;
    }
    MPI_Datatype values, numbers;
    MPI_Type_create_hindexed(NODES, lengths, places, MPI_DOUBLE, &values);
    MPI_Type_commit(&values);
    if (rank == 0)
        MPI_Send(MPI_BOTTOM, 1, values, 1, 0, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(MPI_BOTTOM, 1, values, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(MPI_BOTTOM, 1, values, 1, MPI_COMM_WORLD);

    int local = 10 * rank, *heap = malloc(sizeof *heap);
    *heap = 20 * rank, fixed = 30 * rank;
    MPI_Get_address(&local, &places[0]);
    MPI_Get_address(heap, &places[1]);
    MPI_Get_address(&fixed, &places[2]);
    MPI_Type_create_hindexed_block(3, 1, places, MPI_INT, &numbers);
    MPI_Type_commit(&numbers);
    int sums[3] = {local, *heap, fixed}, all[9];
    MPI_Gatherv(MPI_BOTTOM, 1, numbers, all, (int[]){3, 3, 3}, (int[]){0, 3, 6}, MPI_INT, 2, MPI_COMM_WORLD);
    for (int i = 0; i < 9 && rank == 2; i++)
        wrong += all[i] != (i / 3) * (i % 3 + 1) * 10;
    MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong += sums[0] != 30 || sums[1] != 60 || sums[2] != 90;

    for (int i = NODES - 1; i >= 0; i--) {
        Node *next = list->next;
        wrong += list->value != i + 0.5;
        free(list);
        list = next;
    }
    free(heap);
    MPI_Type_free(&values);
    MPI_Type_free(&numbers);
    MPI_Finalize();
    return wrong != 0;
}
