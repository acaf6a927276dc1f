//! Rules as they are worked out from the rows of the table.

use super::*;

fn rules(function: FnId) -> Rules {
    Rules::of(function.row(), false)
}

#[test]
fn displacements_of_large_counts_are_no_counts() {
    let counts = |f: FnId| {
        let rules = rules(f);
        rules.rules.iter().filter(|r| matches!(r.test, Test::Count { .. })).map(|r| r.param).collect::<Vec<_>>()
    };
    assert_eq!(counts(FnId::MPI_Type_vector_c), [0, 1], "not the stride");
    assert_eq!(counts(FnId::MPI_Type_indexed_c), [0, 1], "not the displacements");
    assert!(counts(FnId::MPI_Type_create_resized_c).is_empty());
    assert_eq!(counts(FnId::MPI_Send_c), [1]);
}

#[test]
fn buffers_are_described_by_what_follows_them() {
    let amounts = |f: FnId| rules(f).buffers.iter().map(|b| b.amount).collect::<Vec<_>>();
    let typed = |a: &Amount| match a {
        Amount::Typed { counts: [count, _], datatype, .. } => (*count, *datatype),
        _ => (None, usize::MAX),
    };
    let all = |f| amounts(f).iter().map(typed).collect::<Vec<_>>();
    assert_eq!(all(FnId::MPI_Sendrecv), [(Some(1), 2), (Some(6), 7)]);
    assert_eq!(all(FnId::MPI_Allreduce), [(Some(2), 3), (Some(2), 3)]);
    assert_eq!(all(FnId::MPI_Fetch_and_op), [(None, 2), (None, 2)]);
    assert_eq!(all(FnId::MPI_Get_accumulate), [(Some(1), 2), (Some(4), 5)]);
    assert!(matches!(amounts(FnId::MPI_Pack)[..], [Amount::Typed { .. }, Amount::Bytes(4)]));
    assert!(matches!(amounts(FnId::MPI_Unpack)[..], [Amount::Bytes(1), Amount::Typed { .. }]));
    assert!(matches!(amounts(FnId::MPI_Reduce_scatter)[..], [Amount::Sum { .. }, Amount::Own { .. }]));
    assert!(matches!(amounts(FnId::MPI_Alltoallw)[0], Amount::Blocks { counts: 1, displs: Some(2), datatype: 3 }));
    assert!(matches!(amounts(FnId::MPI_Win_create)[..], [Amount::Bytes(1)]));
}

#[test]
fn arguments_count_where_the_standard_says() {
    let parts = |f: FnId| {
        let row = f.row();
        (0..row.params.len()).map(|p| (row.params[p].name, when(row, p))).collect::<Vec<_>>()
    };
    for (name, when) in parts(FnId::MPI_Gather) {
        let part = match name {
            "recvbuf" | "recvcount" | "recvtype" => Part::Root,
            "sendbuf" | "sendcount" | "sendtype" => Part::Leaf,
            _ => Part::Everywhere,
        };
        assert_eq!(when.part, part, "{name}");
        assert_eq!(when.in_place.is_some(), matches!(name, "sendcount" | "sendtype"), "{name}");
    }
    for (name, when) in parts(FnId::MPI_Sendrecv) {
        let partner = match name {
            "sendbuf" | "sendtag" => Some(3),
            "recvbuf" | "recvtag" => Some(8),
            _ => None,
        };
        assert_eq!(when.partners[0], partner, "{name}");
    }
}

#[test]
fn quick_looks_know_their_parameters() {
    let send = &rules(FnId::MPI_Isend).messages[0];
    assert_eq!((send.buf, send.count, send.datatype, send.rank, send.tag), (0, 1, 2, 3, 4));
    let both = rules(FnId::MPI_Sendrecv).messages;
    assert_eq!((both[1].buf, both[1].count, both[1].datatype, both[1].rank, both[1].tag), (5, 6, 7, 8, 9));
    let probe = &rules(FnId::MPI_Iprobe).messages[0];
    assert_eq!((probe.buf, probe.count, probe.datatype, probe.rank, probe.tag), (NONE, NONE, NONE, 0, 1));
}

#[test]
fn objects_meet_in_few_functions() {
    use FnId::*;
    let meet: Vec<FnId> = trace_format::mpi::FUNCTIONS.iter().map(|row| row.id).filter(|f| rules(*f).meets).collect();
    let expected = [
        MPI_Group_translate_ranks,
        MPI_Group_compare,
        MPI_Group_union,
        MPI_Group_intersection,
        MPI_Group_difference,
        MPI_Comm_compare,
        MPI_Comm_create,
        MPI_Comm_create_group,
        MPI_Intercomm_create,
        MPI_Intercomm_create_from_groups,
        MPI_Win_start,
        MPI_Win_post,
    ];
    assert_eq!(meet.len(), expected.len(), "{meet:?}");
    assert!(expected.iter().all(|f| meet.contains(f)), "{meet:?}");
}
