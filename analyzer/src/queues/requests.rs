//! Can a request of this program be anything but a send or a receive? Queues show only those: a wait for a collective
//! operation or a file may end whatever the queues hold.

use trace_format::mpi::{Class, Dir, FUNCTIONS, Kind};

/// The first imported name by which the program could make other requests.
pub(super) fn other_source(imports: &[String]) -> Option<&str> {
    imports.iter().map(String::as_str).find(|name| may_make_others(name))
}

fn may_make_others(symbol: &str) -> bool {
    let lower = symbol.to_ascii_lowercase();
    let plain = lower.trim_end_matches('_');
    let plain = plain.strip_suffix("_f08ts").or(plain.strip_suffix("_f08")).unwrap_or(plain);
    let plain = plain.strip_prefix('p').filter(|n| n.starts_with("mpi")).unwrap_or(plain);
    match FUNCTIONS.iter().find(|f| f.name.eq_ignore_ascii_case(plain)) {
        Some(function) => {
            let gives = function.params.iter().any(|p| p.kind == Kind::Request && p.dir == Dir::Out);
            gives && (function.is_extension() || !matches!(function.class, Class::Send(..) | Class::Recv(_)))
        }
        // Extensions that are not in the table, and the methods of the C++ bindings.
        None => plain.starts_with("mpix_") || lower.contains("3mpi"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_collectives_are_not_in_the_queues() {
        let source = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
            other_source(&names).map(str::to_owned)
        };
        let plain =
            ["MPI_Init", "MPI_Isend", "MPI_Irecv_c", "mpi_recv_init_", "mpi_irecv_f08_", "PMPI_Wait", "MPI_Test"];
        assert_eq!(source(&plain), None);
        assert_eq!(source(&["ompi_mpi_comm_world", "my_mpi_helper", "MPI_Start", "MPI_Barrier"]), None);
        for other in [
            "MPI_Ibarrier",
            "PMPI_Ibarrier",
            "mpi_ibarrier_",
            "mpi_ibarrier_f08_",
            "MPI_Comm_idup",
            "MPI_Grequest_start",
            "MPI_File_iwrite",
            "MPI_Rput",
            "MPI_Imrecv",
            "MPI_Psend_init",
            "MPI_Bcast_init",
            "MPIX_Other",
            "_ZNK3MPI4Comm5IsendEPKviRKNS_8DatatypeEii",
        ] {
            assert_eq!(source(&["MPI_Isend", other]).as_deref(), Some(other));
        }
    }
}
