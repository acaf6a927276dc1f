check! {
    MPI_ERROR = "MV004" "mpi-error" Error Dynamic: "x"
}
