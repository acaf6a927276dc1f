// Nine ranks in a ring: each makes one object together with the next rank and another one together with the rank before
// it. Whatever makes a communicator or a window is collective, and waits for all of them.
//
// What is wrong: all begin with the object that they share with the next rank.
// The fix: rank 0 begins with the one that it shares with rank 8.
//
// ranks: 9
// expect: real-deadlock ranks 0,1,2,3,4,5,6,7,8

#include <mpi.h>
#include <stdio.h>

enum { RANKS = 9 };

/* The object number `kind`, made by the ranks `first` and `second` of MPI_COMM_WORLD, who have `pair` in common. */
static void make(int kind, MPI_Comm pair, int first, int second)
{
    int rank, other, size = 2, no = 0;
    MPI_Comm_rank(pair, &rank);
    other = 1 - rank;
    MPI_Comm made;
    MPI_Win window;
    MPI_Request request;
    switch (kind) {
    case 0:
        MPI_Comm_dup(pair, &made); //~ real-deadlock
        break;
    case 1:
        MPI_Comm_split(pair, 0, rank, &made); //~ real-deadlock
        break;
    case 2:
        MPI_Cart_create(pair, 1, &size, &no, 0, &made); //~ real-deadlock
        break;
    case 3:
        MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, pair, &window); //~ real-deadlock
        MPI_Win_free(&window);
        return;
    case 4: {
        MPI_Group world, two;
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Group_incl(world, 2, (int[]){first, second}, &two);
        MPI_Comm_create_group(MPI_COMM_WORLD, two, 3, &made); //~ real-deadlock
        MPI_Group_free(&two);
        MPI_Group_free(&world);
        break;
    }
    case 5:
        MPI_Comm_idup(pair, &made, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE); //~ real-deadlock
        break;
    case 6:
        /* the leaders of two groups, each alone in its own */
        MPI_Intercomm_create(MPI_COMM_SELF, 0, pair, other, 7, &made); //~ real-deadlock
        break;
    case 7:
        MPI_Graph_create(pair, 2, (int[]){1, 2}, (int[]){1, 0}, 0, &made); //~ real-deadlock
        break;
    default: {
        int *memory;
        MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, pair, &memory, &window); //~ real-deadlock
        MPI_Win_free(&window);
        return;
    }
    }
    MPI_Comm_free(&made);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int next = (rank + 1) % RANKS, before = (rank + RANKS - 1) % RANKS;
    /* three rounds of pairs, since the number of ranks is odd */
    MPI_Comm pairs[3], with_next = MPI_COMM_NULL, with_before = MPI_COMM_NULL;
    for (int round = 0; round < 3; round++) {
        const int begins = round == 2 ? rank == 8 : rank % 2 == round && rank != 8;
        const int ends = round == 2 ? rank == 0 : before % 2 == round && before != 8;
        MPI_Comm_split(MPI_COMM_WORLD, begins ? rank : ends ? before : MPI_UNDEFINED, ends, &pairs[round]);
        if (begins)
            with_next = pairs[round];
        if (ends)
            with_before = pairs[round];
    }
    make(rank, with_next, rank, next);
    make(before, with_before, before, rank);
    for (int round = 0; round < 3; round++)
        if (pairs[round] != MPI_COMM_NULL)
            MPI_Comm_free(&pairs[round]);
    if (rank == 0)
        printf("done\n");
    MPI_Finalize();
    return 0;
}
