// Every rank counts the words of its part by length; the counts are added up.
//
// What is wrong: rank 1 was given a shorter table than the others and contributes one count less to the reduction.
// The fix: one constant for all.
//
// ranks: 3
// expect: collective-argument-mismatch ranks 0,1

#include <mpi.h>
#include <stdio.h>

enum { MOST = 8 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int lengths = rank == 1 ? MOST - 1 : MOST;
    int words[MOST] = {0, 3, 1, 4, 1, 5, 9, 2}, sums[MOST];
    MPI_Reduce(words, sums, lengths, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD); //~ collective-argument-mismatch
    if (rank == 0)
        printf("%d words of one letter\n", sums[1]);
    MPI_Finalize();
    return 0;
}
