// Rank 0 sends particles with a persistent request, of which a datatype picks position and weight.
//
// What is wrong: the weight of one particle is set between MPI_Start and MPI_Wait. The tag, which changes as well, is not
// part of the message.
// The fix: set it before MPI_Start.
//
// ranks: 2
// expect: send-checksum ranks 0

#include <mpi.h>
#include <stddef.h>

struct particle {
    double position[3];
    int tag;
    float weight;
};

int main(int argc, char **argv)
{
    static struct particle particles[8];
    int rank, lengths[2] = {3, 1};
    MPI_Aint places[2] = {offsetof(struct particle, position), offsetof(struct particle, weight)};
    MPI_Datatype parts[2] = {MPI_DOUBLE, MPI_FLOAT}, packed, type;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_struct(2, lengths, places, parts, &packed);
    MPI_Type_create_resized(packed, 0, sizeof(struct particle), &type);
    MPI_Type_commit(&type);
    if (rank == 0) {
        MPI_Send_init(particles, 8, type, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Start(&request); //~ send-checksum
        particles[5].tag = 17;
        particles[5].weight = 0.5f;
        MPI_Wait(&request, MPI_STATUS_IGNORE); //~ send-checksum
        MPI_Request_free(&request);
    } else {
        MPI_Recv(particles, 8, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&type);
    MPI_Type_free(&packed);
    MPI_Finalize();
    return 0;
}
