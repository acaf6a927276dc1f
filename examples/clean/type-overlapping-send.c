// Sliding windows and a repeated value: types that name the same memory more than once.
//
// Correct: such a type may be sent, though not received into (MPI 4.1, 5.1.11).
//
// ranks: 2

#include <mpi.h>

enum { N = 8, WIDTH = 3, WINDOWS = N - WIDTH + 1 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, data[N], windows[WINDOWS][WIDTH];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype sliding, window, same;
    MPI_Type_vector(WINDOWS, WIDTH, 1, MPI_INT, &sliding); /* blocks longer than the stride */
    MPI_Type_contiguous(WIDTH, MPI_INT, &same);
    MPI_Type_create_resized(same, 0, sizeof(int), &window); /* items longer than the extent */
    MPI_Type_free(&same);
    MPI_Type_vector(N, 1, 0, MPI_INT, &same); /* one value eight times */
    MPI_Type_commit(&sliding);
    MPI_Type_commit(&window);
    MPI_Type_commit(&same);
    for (int i = 0; i < N; i++)
        data[i] = rank == 0 ? i * i : -1;
    MPI_Request requests[3];
    if (rank == 0) {
        MPI_Isend(data, 1, sliding, 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(data, WINDOWS, window, 1, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(&data[3], 1, same, 1, 2, MPI_COMM_WORLD, &requests[2]);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    } else {
        for (int tag = 0; tag < 2; tag++) {
            MPI_Recv(windows, WINDOWS * WIDTH, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int w = 0; w < WINDOWS; w++)
                for (int i = 0; i < WIDTH; i++)
                    wrong += windows[w][i] != (w + i) * (w + i);
        }
        MPI_Recv(data, N, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < N; i++)
            wrong += data[i] != 9;
    }
    MPI_Type_free(&sliding);
    MPI_Type_free(&window);
    MPI_Type_free(&same);
    MPI_Finalize();
    return wrong != 0;
}
