// Errors of the bindings for C++ are thrown as exceptions, by the handler that MPICH has for these bindings. It is none of
// the program's, and nobody has freed it.
//
// ranks: 2
// mpi: !mpich-4.3 !mpich-5.0 !openmpi !openmpi-5.0 !standard (they have no such handler)

#include <mpi.h>

#include <cstdio>

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    MPI::Intracomm mine = MPI::COMM_WORLD.Dup();
    // What was asked for is given back; the handler itself stays, and may be used again.
    MPI::Errhandler handler = MPI::COMM_WORLD.Get_errhandler();
    handler.Free();
    mine.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    try {
        mine.Barrier();
    } catch (MPI::Exception &) {
        std::printf("the barrier failed\n");
    }
    mine.Free();
    MPI::Finalize();
    return 0;
}
