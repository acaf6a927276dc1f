//! A call of a finding with its place in the source.

use crate::statement::statement;
use crate::symbols::{Symbols, is_user, library, user_frame};
use crate::view::{Frame, Site, member};
use engine::worlds::Names;
use trace_format::finding::CallRef;
use trace_format::location::Location;

/// Source lines before and behind the line of a call, for reports that have room for them.
const AROUND: u32 = 4;

/// Looks the call up in the sources.
pub(crate) fn site(call: &CallRef, names: &Names, symbols: &mut Symbols) -> Site {
    let places = symbols.frames(call.rank, call.site, call.pc);
    let user = user_frame(&places).unwrap_or(0);
    let place = places.get(user).filter(|p| !p.file.is_empty() && p.line > 0);
    let file = place.map(|p| p.file.clone());
    let line = place.map(|p| p.line);
    let mut text = |line: u32| file.as_ref().and_then(|f| symbols.source(call.rank, f, line));
    let source = line.and_then(&mut text);
    let before = line.filter(|l| *l > 1).and_then(|l| text(l - 1));
    let around = line.filter(|_| source.is_some()).map(|l| {
        let first = l.saturating_sub(AROUND).max(1);
        (first, (first..=l.saturating_add(AROUND)).map_while(&mut text).collect())
    });
    let statement = match (&file, line) {
        (Some(file), Some(line)) => statement(symbols, call.rank, file, line, &call.function),
        _ => None,
    };
    Site {
        member: member(call.rank, names),
        process: call.rank,
        thread: call.thread,
        function: call.function.clone(),
        call: call.text.clone(),
        role: call.role.clone(),
        short: file.as_ref().map(|f| symbols.short_path(call.rank, f).to_owned()).unwrap_or_default(),
        file,
        line,
        source,
        before,
        statement,
        around,
        span: call.span,
        stack: places.iter().map(|p| frame(p, symbols.short_path(call.rank, &p.file))).collect(),
        event: call.event,
        library: library(&places),
        user,
    }
}

fn frame(place: &Location, short: &str) -> Frame {
    let text = |t: &str| (!t.is_empty()).then(|| t.to_owned());
    Frame {
        function: text(&place.function),
        file: text(&place.file),
        line: (place.line > 0).then_some(place.line),
        module: text(&place.module),
        offset: place.offset,
        short: short.to_owned(),
        is_user: is_user(place),
    }
}
