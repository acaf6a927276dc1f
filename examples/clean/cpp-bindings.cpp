// Correct C++ with the bindings that MPI had until version 2.2: classes of communicators, types, requests and
// operations, and errors as exceptions.
//
// ranks: 3
// mpi: !mpich-4.3 !mpich-5.0 !openmpi-5.0 !standard (they have no C++ bindings)

#include <mpi.h>

#include <cstdio>

static void longest(const void *in, void *inout, int count, const MPI::Datatype &)
{
    const int *from = static_cast<const int *>(in);
    int *to = static_cast<int *>(inout);
    for (int i = 0; i < count; i++)
        if (from[i] > to[i])
            to[i] = from[i];
}

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size();
    int right = (rank + 1) % size, left = (rank + size - 1) % size;

    double matrix[4][4] = {{}}, columns[2] = {rank + 0.5, rank + 0.25};
    MPI::Datatype column = MPI::DOUBLE.Create_vector(2, 1, 4);
    column.Commit();
    MPI::Request requests[2] = {
        MPI::COMM_WORLD.Irecv(&matrix[0][1], 1, column, left, 7),
        MPI::COMM_WORLD.Isend(columns, 2, MPI::DOUBLE, right, 7),
    };
    MPI::Request::Waitall(2, requests);
    column.Free();

    int value = -1;
    MPI::Status status;
    if (rank == 0)
        MPI::COMM_WORLD.Send(&size, 1, MPI::INT, right, 1);
    MPI::COMM_WORLD.Recv(&value, 1, MPI::INT, left, MPI::ANY_TAG, status);
    if (rank != 0)
        MPI::COMM_WORLD.Send(&value, 1, MPI::INT, right, 1);

    MPI::Op op;
    op.Init(longest, true);
    int mine = 10 * rank, most = 0;
    MPI::Intracomm half = MPI::COMM_WORLD.Split(rank % 2, rank);
    half.Allreduce(&mine, &most, 1, MPI::INT, op);
    half.Free();
    op.Free();

    int wrong = 0;
    MPI::Intracomm quiet = MPI::COMM_WORLD.Dup();
    quiet.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    try {
        quiet.Send(&value, 1, MPI::INT, size, 0);
    } catch (MPI::Exception &exception) {
        wrong = exception.Get_error_class() == MPI::ERR_RANK;
    }
    quiet.Barrier();
    quiet.Free();
    std::printf("rank %d: %g %g, %d from %d, most %d, wrong rank %d\n", rank, matrix[0][1], matrix[1][1], value,
                status.Get_source(), most, wrong);
    MPI::Finalize();
    return 0;
}
