//! Definitions of objects, and what is found in the process, read from the notation.

use super::values::{int, parse_id, parse_ranks, split_top};
use trace_format::definition::{Bridge, BridgeKind, Combiner, Definition, Id};
use trace_format::mpi::{FnId, Kind};
use trace_format::system::{Checksum, Checksums, Found, Place};

/// Reads `MV104 "message" {3 MPI_Irecv "pending"}`: found at the last call of the thread; other calls stand in braces.
pub(super) fn parse_found(text: &str, thread: u16, call: u64) -> Result<Found, String> {
    let mut parts = text.split('"');
    let name = parts.next().unwrap_or("").trim();
    let check = trace_format::catalogue::by_name(name).ok_or_else(|| format!("`{name}` is no check"))?;
    let message = parts.next().ok_or("expected a message")?.to_owned();
    // The function stands in the call's own record.
    let here = Place { thread, call, func: 0, site: 0, role: "here".into() };
    let mut places = vec![here];
    while let (Some(head), Some(role)) = (parts.next(), parts.next()) {
        let mut words = head.trim_start_matches(['}', ' ', '{']).split_whitespace();
        let call = words.next().and_then(|w| w.parse().ok()).ok_or("expected the number of a call")?;
        let function = words.next().unwrap_or("");
        let func = FnId::by_name(function).ok_or_else(|| format!("`{function}` is no MPI function"))?;
        places.push(Place { thread, call, func: func as u16, site: 0, role: role.to_owned() });
    }
    Ok(Found { code: check.code.to_owned(), message, places, notes: Vec::new(), count: 1 })
}

/// `at 1 sent all:8:1f received 0:4:aa,2:4:bb`
pub(super) fn parse_checksums(text: &str, call: u64) -> Result<Checksums, String> {
    let one = |word: &str| {
        let mut parts = word.split(':');
        let mut next = || parts.next().ok_or_else(|| format!("`{word}` is not of the form partner:bytes:digest"));
        let (partner, bytes, digest) = (next()?, next()?, next()?);
        let partner = match partner {
            "all" => Checksum::WHOLE,
            number => int(number)? as u32,
        };
        let digest = u64::from_str_radix(digest, 16).map_err(|_| format!("`{digest}` is no digest"))?;
        Ok(Checksum { partner, bytes: int(bytes)? as u64, digest })
    };
    let list = |text: &str| text.split(',').map(one).collect::<Result<Vec<_>, String>>();
    let mut checksums = Checksums { call, ..Checksums::default() };
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        let what = words.next().ok_or_else(|| format!("nothing behind `{word}`"))?;
        match word {
            "at" => checksums.request = int(what)? as u32,
            "sent" => checksums.sent = list(what)?,
            "received" => checksums.received = list(what)?,
            _ => return Err(format!("`{word}` says nothing of checksums")),
        }
    }
    Ok(checksums)
}

pub(super) fn parse_comm(id: Id, groups: &str) -> Result<Definition, String> {
    let (local, remote) = match groups.split_once('|') {
        Some((local, remote)) => (local, Some(parse_ranks(remote)?)),
        None => (groups, None),
    };
    Ok(Definition::Comm { id, local: parse_ranks(local)?, remote, neighbors: None })
}

fn parse_bridge(comm: Id, text: &str) -> Result<Definition, String> {
    let (text, port) = text.split_once(" port ").unwrap_or((text, ""));
    let words: Vec<&str> = text.split_whitespace().collect();
    let [kind, groups, "root", root, "during", during] = words[..] else {
        return Err("expected `kind {local}|first+count root place during from-to`".into());
    };
    let kind = [BridgeKind::Spawn, BridgeKind::Parent, BridgeKind::Accept, BridgeKind::Connect, BridgeKind::Unknown]
        .into_iter()
        .find(|k| format!("{k:?}").eq_ignore_ascii_case(kind))
        .ok_or_else(|| format!("`{kind}` is no kind of bridge"))?;
    let (local, remote) = groups.split_once('|').ok_or("expected {local}|first+count")?;
    let (first, count) = remote.split_once('+').ok_or("expected first+count")?;
    let (entered, returned) = during.split_once('-').ok_or("expected from-to")?;
    Ok(Definition::Bridge(Bridge {
        kind,
        comm,
        first: int(first)? as i32,
        count: int(count)? as i32,
        local: parse_ranks(local)?,
        root: int(root)? as i32,
        port: port.trim_matches('"').to_owned(),
        entered: int(entered)? as u64,
        returned: int(returned)? as u64,
    }))
}

pub(super) fn parse_definition(text: &str) -> Result<Definition, String> {
    let mut words = text.splitn(3, ' ');
    let (what, name) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let rest = words.next().unwrap_or("").trim();
    match what {
        "comm" => parse_comm(parse_id(Kind::Comm, name)?, rest),
        "group" => Ok(Definition::Group { id: parse_id(Kind::Group, name)?, ranks: parse_ranks(rest)? }),
        "bridge" => parse_bridge(parse_id(Kind::Comm, name)?, rest),
        "op" => Ok(Definition::Op { id: parse_id(Kind::Op, name)?, commute: rest == "commutes" }),
        "type" => {
            let (combiner, args) = rest.split_once('(').ok_or("expected combiner(ints; types)")?;
            let (args, sizes) = args.split_once(')').unwrap_or((args, ""));
            let (ints, types) = args.split_once(';').ok_or("expected combiner(ints; types)")?;
            // Size and extent may follow, as the library says them: `size 8 extent 16`.
            let sizes: Vec<&str> = sizes.split_whitespace().collect();
            let said = |name: &str| sizes.iter().position(|w| *w == name).and_then(|at| sizes.get(at + 1));
            let said = |name: &str| said(name).map_or(Ok(0), |n| int(n));
            let combiner = [
                Combiner::Named,
                Combiner::Dup,
                Combiner::Contiguous,
                Combiner::Vector,
                Combiner::Hvector,
                Combiner::Indexed,
                Combiner::Hindexed,
                Combiner::IndexedBlock,
                Combiner::HindexedBlock,
                Combiner::Struct,
                Combiner::Subarray,
                Combiner::Darray,
                Combiner::Resized,
                Combiner::Opaque,
            ]
            .into_iter()
            .find(|c| format!("{c:?}").eq_ignore_ascii_case(combiner))
            .ok_or_else(|| format!("`{combiner}` is no combiner"))?;
            let ints = split_top(ints).into_iter().map(int).collect::<Result<_, _>>()?;
            let types = split_top(types).into_iter().map(|t| parse_id(Kind::Datatype, t)).collect::<Result<_, _>>()?;
            let id = parse_id(Kind::Datatype, name)?;
            let (size, extent) = (said("size")?.max(0) as u64, said("extent")?);
            Ok(Definition::Datatype { id, combiner, ints, types, size, lb: 0, extent })
        }
        other => Err(format!("`{other}` cannot be defined")),
    }
}
