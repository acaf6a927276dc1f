// Communicators made in every way: dup, idup, split, split_type, create, create_group, and nested ones.
//
// Correct: messages with the same tag in different communicators never meet; ranks are renumbered, in
// reverse order too; some ranks get MPI_COMM_NULL; a communicator is freed while others live on.
//
// ranks: 5

#include <mpi.h>
#include <stdio.h>

static int ring(MPI_Comm comm, int value)
{
    int rank, size, got;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Request request;
    MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, 0, comm, &request);
    MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, 0, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return got;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, results[8] = {0}, n = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Comm dup, idup, reversed, odd_even, node, three, pair, nested;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_idup(MPI_COMM_WORLD, &idup, &request);
    results[n++] = ring(dup, rank);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Comm_split(dup, rank == 4 ? MPI_UNDEFINED : rank % 2, rank, &odd_even);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);

    MPI_Group world, group;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 3, (int[]){4, 0, 2}, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &three);
    MPI_Group_free(&group);
    MPI_Group_incl(world, 2, (int[]){3, 1}, &group);
    pair = MPI_COMM_NULL;
    if (rank == 1 || rank == 3) /* create_group: only the members call */
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 17, &pair);
    MPI_Group_free(&group);
    MPI_Group_free(&world);

    /* the same tag in two communicators, received in the other order */
    int a = 1, b = 2, got_a, got_b;
    if (rank == 0) {
        MPI_Isend(&a, 1, MPI_INT, 1, 7, dup, &request);
        MPI_Send(&b, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(&got_b, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&got_a, 1, MPI_INT, 0, 7, dup, MPI_STATUS_IGNORE);
        results[7] = 10 * got_a + got_b;
    }

    MPI_Comm_free(&dup); /* odd_even, made from it, lives on */
    results[n++] = ring(idup, rank);
    results[n++] = ring(reversed, rank);
    if (odd_even != MPI_COMM_NULL) {
        results[n++] = ring(odd_even, rank);
        MPI_Comm_dup(odd_even, &nested);
        MPI_Comm_free(&odd_even);
        MPI_Allreduce(&rank, &results[n++], 1, MPI_INT, MPI_SUM, nested);
        MPI_Comm_free(&nested);
    }
    results[n++] = ring(node, rank);
    if (three != MPI_COMM_NULL) {
        results[n++] = ring(three, rank);
        MPI_Comm_free(&three);
    } else if (pair != MPI_COMM_NULL) {
        results[n++] = ring(pair, rank);
        MPI_Comm_free(&pair);
    }
    MPI_Comm_free(&idup);
    MPI_Comm_free(&reversed);
    MPI_Comm_free(&node);
    printf("rank %d: %d %d %d %d %d %d %d %d\n", rank, results[0], results[1], results[2], results[3],
           results[4], results[5], results[6], results[7]);
    MPI_Finalize();
    return 0;
}
