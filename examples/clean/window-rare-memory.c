// Windows without memory, with memory attached later, and two windows of the same memory.
//
// Correct: a rank may expose nothing, with NULL and size zero; dynamic windows have absolute addresses and MPI_BOTTOM;
// windows may overlap as long as the accesses do not conflict; MPI_Win_get_group returns a new handle (MPI 4.1, 12.2).
//
// ranks: 3

#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, cells[4] = {0}, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win one, two, dynamic;
    MPI_Group group;
    MPI_Win_create(rank == 0 ? cells : NULL, rank == 0 ? sizeof cells : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &one);
    MPI_Win_create(cells, rank == 0 ? sizeof cells : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &two);
    MPI_Win_get_group(one, &group);
    MPI_Group_size(group, &size);
    MPI_Group_free(&group);
    wrong += size != 3;
    MPI_Win_fence(0, one);
    MPI_Put(&rank, 1, MPI_INT, 0, rank, 1, MPI_INT, one);
    MPI_Put(NULL, 0, MPI_INT, 0, 0, 0, MPI_INT, one);
    MPI_Put(&rank, 1, MPI_INT, MPI_PROC_NULL, 1000, 1, MPI_INT, one);
    MPI_Win_fence(0, one);
    int seen[3] = {-1, -1, -1};
    MPI_Win_fence(0, two);
    MPI_Get(seen, 3, MPI_INT, 0, 0, 3, MPI_INT, two);
    MPI_Win_fence(0, two);
    wrong += seen[1] != 1 || seen[2] != 2 || (rank == 0 && cells[2] != 2);
    MPI_Win_free(&two);
    MPI_Win_free(&one);

    MPI_Aint here, there;
    int target = -1, source = 50 + rank;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
    MPI_Win_attach(dynamic, &target, sizeof target);
    MPI_Get_address(&target, &here);
    MPI_Sendrecv(&here, 1, MPI_AINT, (rank + 1) % 3, 0, &there, 1, MPI_AINT, (rank + 2) % 3, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Win_fence(0, dynamic);
    MPI_Put(&source, 1, MPI_INT, (rank + 2) % 3, there, 1, MPI_INT, dynamic);
    MPI_Win_fence(0, dynamic);
    wrong += target != 50 + (rank + 1) % 3;
    MPI_Win_detach(dynamic, &target);
    MPI_Win_free(&dynamic);
    MPI_Finalize();
    return wrong != 0;
}
