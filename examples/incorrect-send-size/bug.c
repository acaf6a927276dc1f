// Rank 0 sends a table of prices to rank 1, which adds them up.
//
// What is wrong: rank 0 counts the prices without the last one. The message is shorter than the table of rank 1,
// which is legal, but the sum takes in what was in the table before.
// The fix: both use the same constant. The check is off by default: most programs receive less than they could.
//
// ranks: 2
// options: --check incorrect-send-size
// expect: incorrect-send-size ranks 0,1

#include <mpi.h>
#include <stdio.h>

enum { PRICES = 5 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    if (rank == 0) {
        int prices[PRICES] = {120, 80, 45, 300, 15};
        MPI_Send(prices, PRICES - 1, MPI_INT, 1, 0, MPI_COMM_WORLD); //~ incorrect-send-size
    } else {
        int prices[PRICES] = {0}, sum = 0;
        MPI_Recv(prices, PRICES, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ incorrect-send-size
        for (int i = 0; i < PRICES; i++)
            sum += prices[i];
        printf("all together %d\n", sum);
    }
    MPI_Finalize();
    return 0;
}
