// Handles are copied, compared, converted to Fortran's integers and back, and used in every form.
//
// Correct: a copy of a handle names the same object, predefined ones too; the conversions lose nothing, and change
// nothing about the object or the state of a request (MPI 4.1, 2.5.1 and 19.3.4).
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, other, wrong = 0, in = -1, again = -1, sum = 0, count;
    MPI_Comm world = MPI_COMM_WORLD, comm, same_comm;
    MPI_Comm_rank(world, &rank);
    other = 1 - rank;
    wrong += MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) != MPI_COMM_WORLD;
    wrong += MPI_Type_f2c(MPI_Type_c2f(MPI_INT)) != MPI_INT || MPI_Op_f2c(MPI_Op_c2f(MPI_SUM)) != MPI_SUM;
    wrong += MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_NULL)) != MPI_COMM_NULL;

    MPI_Comm_dup(world, &comm);
    const MPI_Fint number = MPI_Comm_c2f(comm);
    same_comm = MPI_Comm_f2c(number);
    MPI_Datatype type, integer = MPI_INT;
    MPI_Type_contiguous(1, integer, &type);
    MPI_Type_commit(&type);
    const MPI_Fint type_number = MPI_Type_c2f(type);

    MPI_Request receive, send;
    MPI_Irecv(&in, 1, MPI_Type_f2c(type_number), other, 0, same_comm, &receive);
    const MPI_Fint request_number = MPI_Request_c2f(receive);
    MPI_Isend(&rank, 1, integer, other, 0, comm, &send);
    receive = MPI_Request_f2c(request_number);
    MPI_Status status, copied;
    MPI_Fint fortran_status[sizeof(MPI_Status) / sizeof(MPI_Fint)];
    MPI_Wait(&receive, &status);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Status_c2f(&status, fortran_status);
    MPI_Status_f2c(fortran_status, &copied);
    MPI_Get_count(&copied, type, &count);
    wrong += in != other || copied.MPI_SOURCE != other || count != 1;
    wrong += MPI_Request_f2c(MPI_Request_c2f(MPI_REQUEST_NULL)) != MPI_REQUEST_NULL;

    MPI_Op plus = MPI_SUM;
    MPI_Allreduce(&rank, &sum, 1, integer, plus, world);
    MPI_Sendrecv(&rank, 1, type, other, 1, &again, 1, MPI_INT, other, 1, MPI_Comm_f2c(number), MPI_STATUS_IGNORE);
    wrong += sum != 1 || again != other;
    MPI_Type_free(&type);
    MPI_Comm_free(&same_comm); /* the object is freed through one of its handles, and the others are not used again */
    MPI_Finalize();
    return wrong != 0;
}
