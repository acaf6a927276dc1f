// 150 reductions of all ranks, one after the other, over more than a tenth of a second.
#include <mpi.h>
#include <unistd.h>

int main(void)
{
    MPI_Init(NULL, NULL);
    for (int i = 0; i < 150; i++) {
        int mine = i, sum;
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        usleep(1000);
    }
    MPI_Finalize();
}
