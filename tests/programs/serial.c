// A program for parallel and serial machines, and with -DSTAND_IN the few functions that stand in for MPI on the latter.
#include <stdio.h>

int MPI_Init(int *argc, char ***argv);
int MPI_Comm_rank(int comm, int *rank);
double MPI_Wtime(void);

#ifdef STAND_IN
int MPI_Init(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}

int MPI_Comm_rank(int comm, int *rank)
{
    (void)comm;
    *rank = 0;
    return 0;
}

double MPI_Wtime(void)
{
    return 42;
}
#else
int main(int argc, char **argv)
{
    int rank = -1;
    int started = MPI_Init(&argc, &argv);
    int asked = MPI_Comm_rank(0, &rank);
    printf("%d %d %d %.0f\n", started, asked, rank, MPI_Wtime());
    return 0;
}
#endif
