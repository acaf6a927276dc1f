// Messages that end in the middle of a derived type, and receives with room for far more than comes.
//
// Correct: a message may be shorter than the receive allows, and end anywhere in its type map. MPI_Get_count then says
// MPI_UNDEFINED, and MPI_Get_elements counts the basic items (MPI 4.1, 3.2.4 and 5.1.11).
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype triple, strided;
    MPI_Type_contiguous(3, MPI_INT, &triple);
    MPI_Type_vector(50, 2, 3, MPI_INT, &strided);
    MPI_Type_commit(&triple);
    MPI_Type_commit(&strided);
    int data[300];
    for (int i = 0; i < 300; i++)
        data[i] = rank == 0 ? i : -1;
    if (rank == 0) {
        for (int n = 0; n < 8; n++)
            MPI_Send(data, n, MPI_INT, 1, n, MPI_COMM_WORLD);
        MPI_Send(data, 2, triple, 1, 8, MPI_COMM_WORLD);
    } else {
        for (int n = 0; n < 8; n++) {
            MPI_Status status;
            int count, elements;
            MPI_Recv(data, 100, triple, 0, n, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, triple, &count);
            MPI_Get_elements(&status, triple, &elements);
            wrong += elements != n || count != (n % 3 == 0 ? n / 3 : MPI_UNDEFINED);
            wrong += data[n] != -1; /* what lies behind the message is untouched */
            data[n] = -1;
            for (int i = 0; i < n; i++) {
                wrong += data[i] != i;
                data[i] = -1;
            }
        }
        MPI_Recv(data, 2, strided, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 12; i++)
            wrong += data[i] != (i % 3 == 2 || i > 7 ? -1 : i / 3 * 2 + i % 3);
    }
    MPI_Type_free(&triple);
    MPI_Type_free(&strided);
    MPI_Finalize();
    return wrong != 0;
}
