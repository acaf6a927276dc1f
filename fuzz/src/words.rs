//! Texts that are written by hand or travel as text: the notation of traces, suppression files, lists of ranks and
//! checks, annotations of the program, witnesses. The first byte of an input selects one.

use engine::worlds::{Chosen, Names};
use report::gate::suppressions;
use trace_format::names::NoNames;
use trace_format::ranks::Ranks;
use trace_format::run::job::Job;
use trace_format::run::witness::Witness;
use trace_format::sample::Sampling;
use trace_format::settings::selection::{Selection, codes};
use trace_reader::reader::RankEvent;
use trace_reader::text::{
    format_annotation, format_call, format_callback, format_definition, format_return, format_sample, parse,
    parse_annotation, parse_callback, parse_sample,
};

pub fn target(data: &[u8]) {
    let Some((which, data)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(data) else { return };
    match which % 9 {
        0 => notation(text),
        1 => _ = suppressions::parse("file", text),
        2 => lists(text),
        3 => {
            let known = Names::new([3, 2, 4]).rename(text);
            assert!(known.len() <= 64 * text.len() + 64 || text.len() < 64, "names grow");
        }
        4 => {
            if let Ok(annotation) = parse_annotation(text) {
                _ = format_annotation(&annotation, &NoNames);
            }
        }
        5 => {
            if let Ok(sample) = parse_sample(text) {
                _ = format_sample(&sample);
            }
            _ = Sampling::parse(text);
        }
        6 => {
            if let Ok(callback) = parse_callback(text) {
                assert_eq!(parse_callback(format_callback(&callback).trim_start_matches("callback ")), Ok(callback));
            }
        }
        7 => _ = serde_json::from_str::<Witness>(text),
        _ => {
            if let Ok(job) = serde_json::from_str::<Job>(text) {
                _ = (job.alterations(), job.buffering_limit());
            }
        }
    }
}

/// A trace in the notation is analyzed; its events can be printed.
fn notation(text: &str) {
    let Ok(trace) = parse(text) else { return };
    // Thousands of ranks take their time.
    if trace.ranks > 64 {
        return;
    }
    let mut engine = engine::Engine::new(trace.ranks);
    for (rank, event) in trace.events {
        match &event {
            RankEvent::Definition(d) => _ = format_definition(d),
            RankEvent::Call(call) => _ = format_call(call, &NoNames) + &format_return(call, &NoNames),
            _ => {}
        }
        engine.feed(rank, event);
    }
    _ = engine.stuck();
    _ = analyzer::testing::describe(&engine.finish(&Default::default()));
}

fn lists(text: &str) {
    if let Ok(ranks) = text.parse::<Ranks>() {
        let all: Vec<i32> = ranks.iter().take(1000).collect();
        assert!(all.iter().all(|rank| ranks.position(*rank).is_some()));
        if ranks.runs().all(|(first, last, _)| first >= 0 && last >= 0) {
            let again: Ranks = ranks.to_string().parse().expect("what is printed can be read");
            assert_eq!(again.iter().take(1000).collect::<Vec<_>>(), all);
        }
    }
    _ = text.parse::<Chosen>();
    _ = codes(text);
    let mut selection = Selection::default();
    _ = selection.choose(text);
    _ = selection.set_severity(text);
}
