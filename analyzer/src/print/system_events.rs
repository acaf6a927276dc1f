//! Events of a rank other than calls, in the notation.

use trace_format::mpi::FnId;
use trace_format::mpi::predefined::error_class_name;
use trace_format::system::SystemEvent;
use trace_reader::text::{format_callback, format_checksums, format_sample, format_touched};

pub(super) fn notation(event: &SystemEvent) -> String {
    match event {
        SystemEvent::Exit { status } => format!("exit {status}"),
        SystemEvent::Signal(s) => format!("signal {}{}", s.signal, if s.by_launcher { " by launcher" } else { "" }),
        SystemEvent::MpiError { class, fatal, text, .. } => {
            let fatal = if *fatal { " fatal" } else { "" };
            format!("mpi-error {}{fatal} {text:?}", error_class_name(*class))
        }
        SystemEvent::Lost { reason } => format!("lost {reason:?}"),
        SystemEvent::ThreadLevel { level, other, .. } => {
            let other = other.map(|o| format!(" beside {o}")).unwrap_or_default();
            format!("thread-level {}{other}", level.name())
        }
        SystemEvent::Gap { .. } | SystemEvent::Recording { .. } | SystemEvent::Annotation { .. } => String::new(),
        SystemEvent::Checksums(checksums) => format_checksums(checksums),
        SystemEvent::Sample(sample) => format_sample(sample),
        SystemEvent::Callback(callback) => format_callback(callback),
        SystemEvent::Touched(touched) => format_touched(touched),
        SystemEvent::Watched(watched) => format!("watched: {}", watched.line()),
        SystemEvent::Found(found) => {
            let places = found.places.iter().skip(1).map(|p| {
                let function = FnId::from_index(p.func.into()).map_or("?", FnId::name);
                format!(" {{{} {function} {:?}}}", p.call, p.role)
            });
            format!("found {} {:?}{}", found.code, found.message, places.collect::<String>())
        }
    }
}
