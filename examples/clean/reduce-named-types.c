// Reductions with types that look like no numbers: logicals, bytes, addresses, complex numbers, duplicates.
//
// Correct: the predefined operations work on the named predefined types that the standard lists (MPI 4.1, 6.9.2), and
// MPI_MINLOC on its pair types (6.9.4); different values on different ranks select nothing.
//
// ranks: 3

#include <complex.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bool some = rank == 1, any = false, all = true;
    MPI_Allreduce(&some, &any, 1, MPI_C_BOOL, MPI_LOR, MPI_COMM_WORLD);
    MPI_Allreduce(&some, &all, 1, MPI_C_BOOL, MPI_LAND, MPI_COMM_WORLD);
    wrong += !any || all;
    unsigned char bits = (unsigned char)(1 << rank), mask = 0;
    MPI_Allreduce(&bits, &mask, 1, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    wrong += mask != 7;
    int truth = 100 + rank, parity = -1; /* any value but zero is true */
    MPI_Allreduce(&truth, &parity, 1, MPI_INT, MPI_LXOR, MPI_COMM_WORLD);
    wrong += parity != 1;
    double complex z = 1 + rank * I, product = 0;
    MPI_Allreduce(&z, &product, 1, MPI_C_DOUBLE_COMPLEX, MPI_PROD, MPI_COMM_WORLD);
    wrong += creal(product) != -1 || cimag(product) != 3;
    MPI_Aint address = (MPI_Aint)1 << (32 + rank), largest = 0;
    MPI_Allreduce(&address, &largest, 1, MPI_AINT, MPI_MAX, MPI_COMM_WORLD);
    wrong += largest != (MPI_Aint)1 << 34;
    uint8_t small = (uint8_t)(100 * rank), sum = 0; /* overflow of an unsigned type is defined in C */
    MPI_Allreduce(&small, &sum, 1, MPI_UINT8_T, MPI_SUM, MPI_COMM_WORLD);
    wrong += sum != (300 & 255);
    struct {
        long value;
        int where;
    } least = {5 - rank % 2, rank};
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_LONG_INT, MPI_MINLOC, MPI_COMM_WORLD);
    wrong += least.where != 1;
    int left[3] = {1, 2, 3}, right[3] = {rank, rank, rank}, commutes;
    MPI_Reduce_local(left, right, 3, MPI_INT, MPI_SUM);
    MPI_Op_commutative(MPI_SUM, &commutes);
    wrong += right[2] != 3 + rank || !commutes;
    MPI_Finalize();
    return wrong != 0;
}
