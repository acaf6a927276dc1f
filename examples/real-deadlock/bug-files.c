// Four ranks in a ring: each shares a file with the next rank and one with the rank before it. To set its size, to reserve
// space in it and to write in the order of the ranks are collective over those who share the file.
//
// What is wrong: all begin with the next rank; rank 3 wants a message of rank 0 before it goes on.
// The fix: rank 3 begins with rank 2.
//
// ranks: 4
// timeout: 60
// expect: real-deadlock ranks 0,1,2,3

#include <mpi.h>
#include <stdio.h>

enum { RANKS = 4 };

static MPI_Comm pairs[2];
static MPI_File files[RANKS]; /* by the first of the two ranks that share it */
/* What the ranks `first` and the one after it do together. */
static void together(int first, int rank)
{
    int value = rank;
    switch (first) {
    case 0:
        MPI_File_set_size(files[first], 100); //~ real-deadlock
        break;
    case 1:
        MPI_File_preallocate(files[first], 100); //~ real-deadlock
        break;
    case 2:
        MPI_File_write_ordered(files[first], &value, 1, MPI_INT, MPI_STATUS_IGNORE); //~ real-deadlock
        break;
    default:
        if (rank == first)
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ real-deadlock
        else
            MPI_Send(&value, 1, MPI_INT, first, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int before = (rank + RANKS - 1) % RANKS;
    for (int odd = 0; odd < 2; odd++) {
        const int first = rank % 2 == odd ? rank : before;
        /* the first one is the last one in their communicator: it needs what the other has in an ordered access */
        MPI_Comm_split(MPI_COMM_WORLD, first, rank == first, &pairs[odd]);
    }
    for (int odd = 0; odd < 2; odd++) {
        const int first = rank % 2 == odd ? rank : before;
        const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
        char name[1000];
        snprintf(name, sizeof name, "%s.%d", argv[0], first);
        if (first != 3)
            MPI_File_open(pairs[odd], name, mode, MPI_INFO_NULL, &files[first]);
    }
    together(rank, rank);
    together(before, rank);
    for (int odd = 0; odd < 2; odd++) {
        const int first = rank % 2 == odd ? rank : before;
        if (first != 3)
            MPI_File_close(&files[first]);
        MPI_Comm_free(&pairs[odd]);
    }
    if (rank == 0)
        printf("written\n");
    MPI_Finalize();
    return 0;
}
