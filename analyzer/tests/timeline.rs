//! The time line that is made of small traces in the notation, whose times are the numbers of their lines, in nanoseconds.

use analyzer::testing::listen;
use engine::worlds::Names;
use report::symbols::Symbols;
use report::timeline::Recorder;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

fn timeline(text: &str, order: u64) -> Value {
    let recorder = Arc::new(Mutex::new(Recorder::default()));
    listen(text.trim_start(), order, Box::new(recorder.clone()));
    let recorder = std::mem::take(&mut *recorder.lock().unwrap());
    serde_json::to_value(recorder.finish(&Names::default(), &mut Symbols::default())).unwrap()
}

/// Each call that is known: rank, function, begin, length, waiting time.
fn calls(timeline: &Value) -> Vec<(i64, String, i64, i64, i64)> {
    let mut all = Vec::new();
    for lane in timeline["lanes"].as_array().unwrap() {
        for call in lane["calls"].as_array().unwrap() {
            let name = timeline["functions"][call[0].as_u64().unwrap() as usize].as_str().unwrap();
            let n = |i: usize| call[i].as_i64().unwrap();
            all.push((lane["rank"].as_i64().unwrap(), name.to_owned(), n(3), n(4), n(5)));
        }
    }
    all
}

#[test]
fn who_waits_for_a_late_sender_is_told_until_when() {
    let text = "
0: MPI_Init() = ok
1: MPI_Init() = ok
1: MPI_Recv(source=0)
0: MPI_Comm_size() = ok
0: MPI_Comm_size() = ok
0: MPI_Send(dest=1) = ok
1: return = ok {status=0/0/4}
0: MPI_Barrier() = ok
1: MPI_Barrier() = ok
";
    let all = timeline(text, 0);
    // The first line is time 0.
    let recv = calls(&all).into_iter().find(|c| c.1 == "MPI_Recv");
    assert_eq!(recv, Some((1, "MPI_Recv".into(), 2, 4, 3)));
    assert_eq!(all["messages"], json!([[0, 1, 5, 6, 4, 0, 1, [0, 3, 0, 1, 0, 1]]]));
    // Barrier: rank 0 came first, at 7.
    assert_eq!(all["collectives"][0][2], json!([7, 8, 8]));
    assert_eq!(all["collectives"][0][3], json!([0, 1, 1]));
    for order in 1..6 {
        assert_eq!(timeline(text, order), all, "another interleaving");
    }
}

#[test]
fn a_late_receiver_and_several_messages_of_one_call() {
    let text = "
0: MPI_Ssend(dest=1)
1: MPI_Irecv(source=2, request=5) = ok {request=5}
1: MPI_Irecv(source=0, request=6) = ok {request=6}
1: MPI_Waitall(requests=[5,6])
0: return = ok
0: MPI_Comm_size() = ok
2: MPI_Send(dest=1) = ok
1: return = ok {statuses=[2/0/4,0/0/4]}
";
    let all = timeline(text, 0);
    let of = |name: &str| calls(&all).into_iter().find(|c| c.1 == name).unwrap();
    assert_eq!(of("MPI_Ssend"), (0, "MPI_Ssend".into(), 0, 4, 2));
    // Only the later of the two senders counts.
    assert_eq!(of("MPI_Waitall"), (1, "MPI_Waitall".into(), 3, 4, 3));
}

#[test]
fn what_never_returns_waits_until_the_end() {
    let text = "
//! stopped
0: MPI_Recv(source=1)
1: MPI_Recv(source=0)
";
    let all = timeline(text, 0);
    assert_eq!(calls(&all), [(0, "MPI_Recv".into(), 0, -1, 0), (1, "MPI_Recv".into(), 1, -1, 0)]);
    assert_eq!(all["alone"].as_array().unwrap().len(), 2);
    assert!(all["end"].as_i64() > all["last"].as_i64());
    // Four bytes a cell: messages, waiting, collective, other. All the first cell is waiting.
    let cell = all["cells"]["data"][0].as_str().unwrap();
    assert!(cell.starts_with("AP8A") || cell.starts_with("AP4A") || cell.starts_with("APk"), "{cell}");
}

#[test]
fn regions_samples_and_signals_are_kept() {
    let text = "
0: MPI_Init() = ok
0: mpivet_region_begin(\"solve\")
0: mpivet_region_begin(\"halo\")
0: sample queue 3 of c1
0: mpivet_region_end(\"halo\")
0: sample queue 5 of c1
1: MPI_Init() = ok
0: signal 9
";
    let all = timeline(text, 0);
    assert_eq!(all["region_names"], json!(["solve", "halo"]));
    assert_eq!(all["regions"], json!([[0, 0, 1, -1, 0], [0, 1, 2, 4, 1]]));
    assert_eq!(
        all["samples"],
        json!([{ "variable": "queue", "rank": 0, "comm": "MPI_COMM_WORLD", "points": [[3, 3.0], [5, 5.0]] }])
    );
    assert_eq!(all["signals"], json!([[0, 7, 9]]));
}

#[test]
fn a_long_run_is_cut_to_its_end_and_to_samples() {
    let mut text = String::new();
    for tag in 0..20_000 {
        text += &format!("0: MPI_Send(dest=1, tag={}) = ok\n", tag % 7);
        text += &format!("1: MPI_Recv(source=0, tag={}) = ok {{status=0/{}/4}}\n", tag % 7, tag % 7);
    }
    let all = timeline(&text, 0);
    assert_eq!((&all["calls_seen"], &all["messages_seen"]), (&json!(40_002), &json!(20_000)));
    let lengths: Vec<usize> =
        all["lanes"].as_array().unwrap().iter().map(|l| l["calls"].as_array().unwrap().len()).collect();
    // MPI_Finalize is the last.
    assert_eq!(lengths, [1_000, 1_000]);
    assert!(all["lanes"].as_array().unwrap().iter().all(|l| l["cut"] == json!(true)));
    let messages = all["messages"].as_array().unwrap();
    assert!((3_000..15_100).contains(&messages.len()), "{}", messages.len());
    // The last ones are there in any case.
    assert!(messages.iter().rev().take(60).map(|m| m[2].as_i64().unwrap()).all(|sent| sent > 39_000 - 200));
    // The interleaving of the ranks changes nothing of the result.
    assert_eq!(timeline(&text, 3), all);
}
