// Workers put their results into the memory of rank 0 in one epoch (post, start, complete, wait).
//
// What is wrong: each worker waits for a message of rank 0 before it ends its epoch, and rank 0 sends that message
// only when all have ended theirs.
// The fix: the workers end their epochs first.
//
// ranks: 3
// expect: real-deadlock ranks 0,1,2

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, part[3] = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win win;
    MPI_Win_create(part, sizeof part, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);

    MPI_Group world, partners;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int workers[] = {1, 2}, master = 0, more = 0, result = rank * rank;
    MPI_Group_incl(world, rank ? 1 : 2, rank ? &master : workers, &partners);
    if (rank == 0) {
        MPI_Win_post(partners, 0, win);
        MPI_Win_wait(win); //~ real-deadlock
        printf("%d %d\n", part[1], part[2]);
        for (int r = 1; r < 3; r++)
            MPI_Send(&more, 1, MPI_INT, r, 0, MPI_COMM_WORLD);
    } else {
        MPI_Win_start(partners, 0, win);
        MPI_Put(&result, 1, MPI_INT, 0, rank, 1, MPI_INT, win);
        MPI_Recv(&more, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ real-deadlock
        MPI_Win_complete(win);
    }
    MPI_Group_free(&partners);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
