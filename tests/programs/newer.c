// A library that has the functions of a newer MPI when a program is linked with it, and lacks them when the program runs: as
// a program compiled for a newer release of its MPI library.
#ifdef NEWER
int MPI_Request_get_status_all(void) { return 0; }
int MPI_Request_get_status_any(void) { return 0; }
int MPI_Request_get_status_some(void) { return 0; }
#endif
