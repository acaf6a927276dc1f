// The number of a task goes from rank to rank, with the bindings for C++ that MPI had until version 2.2.
//
// What is wrong: the last rank sends on to a rank that does not exist. The line to mend is that of the program, and not
// that of the bindings in the header of MPI, which make the call.
// The fix: the last rank sends nothing.
//
// ranks: 3
// mpi: !mpich-4.3 !mpich-5.0 !openmpi-5.0 !standard (they have no C++ bindings)
// expect: invalid-rank ranks 2

#include <mpi.h>

#include <cstdio>

class Relay {
public:
    explicit Relay(const MPI::Intracomm &comm) : comm(comm), rank(comm.Get_rank()) {}

    int pass(int task) const
    {
        if (rank > 0)
            comm.Recv(&task, 1, MPI::INT, rank - 1, 0);
        comm.Send(&task, 1, MPI::INT, rank + 1, 0); //~ invalid-rank
        return task;
    }

private:
    const MPI::Intracomm &comm;
    int rank;
};

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    int task = Relay(MPI::COMM_WORLD).pass(42);
    std::printf("task %d\n", task);
    MPI::Finalize();
    return 0;
}
