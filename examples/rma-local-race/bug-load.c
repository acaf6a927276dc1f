// Rank 0 puts its results into the memory of rank 1, which exposes it by MPI_Win_post.
//
// What is wrong: rank 1 reads the results before MPI_Win_wait.
// The fix: it reads them behind MPI_Win_wait.
//
// ranks: 2
// options: --precise
// expect: rma-local-race ranks 0,1

#include <mpi.h>
#include <stdio.h>

enum { LENGTH = 1000 };

int main(int argc, char **argv)
{
    int rank, other, *results, mine[LENGTH] = {0};
    long sum = 0;
    MPI_Group world, group;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &group);
    MPI_Win_allocate(LENGTH * sizeof *results, sizeof *results, MPI_INFO_NULL, MPI_COMM_WORLD, &results, &win);
    if (rank == 0) {
        MPI_Win_start(group, 0, win);
        MPI_Put(mine, LENGTH, MPI_INT, 1, 0, LENGTH, MPI_INT, win);
        MPI_Win_complete(win);
    } else {
        MPI_Win_post(group, 0, win);
        for (int i = 0; i < LENGTH; i += 100)
            sum += results[i];                                                      //~ rma-local-race
        MPI_Win_wait(win);
    }
    if (sum < 0)
        printf("%ld\n", sum);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
