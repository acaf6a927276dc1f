// Tags up to the largest that the library allows.
//
// Correct: MPI_TAG_UB is an attribute of MPI_COMM_WORLD, and any tag up to its value may be used (MPI 4.1, 9.1.2).
// A complete catalogue warns of tag-portability: only 32767 is guaranteed everywhere.
//
// ranks: 2
// allow: tag-portability

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, flag, *largest, in = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &flag);
    wrong += !flag || *largest < 32767;
    const int tags[] = {0, 32767, 32768, *largest - 1, *largest};
    for (int i = 0; i < 5; i++) {
        MPI_Status status;
        int out = 10 * i + rank;
        MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, tags[i], &in, 1, MPI_INT, 1 - rank, tags[i], MPI_COMM_WORLD, &status);
        wrong += in != 10 * i + 1 - rank || status.MPI_TAG != tags[i];
    }
    MPI_Finalize();
    return wrong != 0;
}
