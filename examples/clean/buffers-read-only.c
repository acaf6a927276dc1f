// Messages are sent from memory that cannot be written: constants, string literals, a protected page.
//
// Correct: send buffers are only read, which their `const` says since MPI 3.0 (MPI 4.1, 3.2.1 and 3.7.2).
//
// ranks: 2

#include <mpi.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const int table[4] = {2, 3, 5, 7};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, other, wrong = 0, numbers[4], sums[4], all[8];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *sheet = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *got = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(sheet, 'a' + rank, page);
    mprotect(sheet, page, PROT_READ);

    char word[8];
    MPI_Request requests[7];
    MPI_Irecv(word, sizeof word, MPI_CHAR, other, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(numbers, 4, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(got, (int)page, MPI_CHAR, other, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend("octopus", 8, MPI_CHAR, other, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Isend(table, 4, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[4]);
    MPI_Isend(sheet, (int)page, MPI_CHAR, other, 2, MPI_COMM_WORLD, &requests[5]);
    MPI_Iallreduce(table, sums, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[6]);
    MPI_Allgather(table, 4, MPI_INT, all, 4, MPI_INT, MPI_COMM_WORLD);
    MPI_Waitall(7, requests, MPI_STATUSES_IGNORE);
    MPI_Send_init(table, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[0]);

    wrong += strcmp(word, "octopus") != 0 || got[0] != 'a' + other || got[page - 1] != 'a' + other;
    for (int i = 0; i < 4; i++)
        wrong += numbers[i] != table[i] || sums[i] != 2 * table[i] || all[i + 4] != table[i];
    munmap(sheet, page);
    munmap(got, page);
    MPI_Finalize();
    return wrong != 0;
}
