//! Rules of single functions that follow from no kind of parameter: `invalid-argument` and `invalid-topology`, and what
//! lists of ranks may hold.

use super::{Exam, up_to};
use crate::call::topology;
use crate::mpi::define;
use crate::mpi::properties::Standing;
use crate::watch::checks::invalid_topology;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;
use trace_format::catalogue::{INVALID_ARGUMENT, INVALID_GROUP, INVALID_RANK};
use trace_format::mpi::{Class, Coll, Dir, FnId, Function, Kind, kinds::RmaSync};

/// Are there such rules for a function?
pub(crate) fn has(row: &Function) -> bool {
    let text = row.params.iter().any(|p| p.kind == Kind::Str && p.dir == Dir::In && p.len.is_empty());
    text || rule(row).is_some() || topology::concerns(row)
}

type Check = fn(&mut Exam) -> bool;

/// The rule of a function.
fn rule(row: &Function) -> Option<Check> {
    use FnId::*;
    Some(match row.id {
        MPI_Init_thread => thread_level,
        MPI_Comm_split => color,
        MPI_Group_incl | MPI_Group_excl => unique_ranks,
        MPI_Group_range_incl | MPI_Group_range_excl => ranges,
        MPI_File_seek | MPI_File_seek_shared => whence,
        MPI_Type_create_subarray | MPI_Type_create_subarray_c => subarray,
        MPI_Type_create_darray | MPI_Type_create_darray_c => order,
        MPI_Win_create
        | MPI_Win_create_c
        | MPI_Win_allocate
        | MPI_Win_allocate_c
        | MPI_Win_allocate_shared
        | MPI_Win_allocate_shared_c => window,
        MPI_Alloc_mem => size,
        MPI_File_set_size | MPI_File_preallocate => size,
        MPI_File_open => access_mode,
        _ => match row.class {
            Class::Collective(Coll::CommCreate, _) | Class::CommCreateGroup => subgroup,
            Class::RmaSync(RmaSync::Lock) => lock,
            Class::RmaSync(RmaSync::LockAll | RmaSync::RmaStart | RmaSync::RmaPost)
            | Class::Collective(Coll::WinFence, _) => assertion,
            Class::FileIo(_) | Class::Collective(..) if row.param("offset").is_some() => offset,
            _ if row.params.iter().any(|p| p.kind == Kind::Keyval && p.dir == Dir::In) => keyval,
            _ => return None,
        },
    })
}

/// Applies them.
pub(crate) fn check(exam: &mut Exam) -> bool {
    let row = exam.call.info.row;
    text(exam) || rule(row).is_some_and(|rule| rule(exam)) || invalid_topology::check(exam)
}

/// The value of a named constant.
fn constant(name: &str) -> Option<i64> {
    static VALUES: OnceLock<FxHashMap<&str, i64>> = OnceLock::new();
    let values =
        VALUES.get_or_init(|| crate::mpi::abi::current().map(|abi| abi.constants().collect()).unwrap_or_default());
    values.get(name).copied()
}

fn tell(exam: &mut Exam, param: usize, value: impl std::fmt::Display, must: &str) -> bool {
    let what = exam.argument(param, None);
    exam.tell(&INVALID_ARGUMENT, format!("{what} is {value}; {must}"))
}

/// The constant must be one of these. Libraries may have more than are known here: then nothing is said.
fn one_of(exam: &mut Exam, param: usize, names: &[&str]) -> bool {
    let value = exam.int(param);
    let values: Vec<i64> = names.iter().filter_map(|name| constant(name)).collect();
    let known = values.len() == names.len() && !values.contains(&value);
    known && tell(exam, param, value, &format!("it must be {}", list(names)))
}

fn list(names: &[&str]) -> String {
    match names {
        [one] => (*one).to_owned(),
        [some @ .., last] => format!("{} or {last}", some.join(", ")),
        [] => String::new(),
    }
}

/// Strings must be there.
fn text(exam: &mut Exam) -> bool {
    let params = exam.call.info.row.params;
    let missing = params
        .iter()
        .enumerate()
        .find(|(i, p)| p.kind == Kind::Str && p.dir == Dir::In && p.len.is_empty() && exam.word(*i) == 0);
    missing.is_some_and(|(param, _)| tell(exam, param, "NULL", "it must be a string"))
}

fn thread_level(exam: &mut Exam) -> bool {
    let names = ["MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"];
    exam.place("required").is_some_and(|p| one_of(exam, p, &names))
}

/// MPI_UNDEFINED, one value in every family.
const UNDEFINED: i64 = -32766;

fn color(exam: &mut Exam) -> bool {
    let Some(param) = exam.place("color") else { return false };
    let color = exam.int(param);
    color < 0 && color != UNDEFINED && tell(exam, param, color, "a colour must be 0 or greater, or MPI_UNDEFINED")
}

/// A rank may be in a list once (MPI 4.1, 7.3.2).
fn unique_ranks(exam: &mut Exam) -> bool {
    let Some(param) = exam.place("ranks") else { return false };
    let ranks = exam.ints(param);
    let mut sorted: Vec<(i64, usize)> = ranks.iter().enumerate().map(|(i, r)| (*r, i)).collect();
    sorted.sort_unstable();
    let twice = sorted.windows(2).find_map(|w| match w {
        [(a, i), (b, j)] if a == b => Some((*a, *i, *j)),
        _ => None,
    });
    let Some((rank, i, j)) = twice else { return false };
    let (name, function) = (exam.name(param), exam.function());
    let message = format!("{name}[{i}] and {name}[{j}] of {function} are both {rank}; a rank may be in the list once");
    exam.tell(&INVALID_RANK, message)
}

/// Ranges of ranks: first, last, stride (MPI 4.1, 7.3.2).
fn ranges(exam: &mut Exam) -> bool {
    let Some(param) = exam.place("ranges") else { return false };
    let group = exam.object(Kind::Group, 0);
    let (Standing::Sound, Some(ranks)) = (group.standing, group.ranks) else { return false };
    let list = exam.ints(param);
    let mut named = vec![None; ranks.clamp(0, MOST_RANKS) as usize];
    for (i, range) in list.chunks_exact(3).enumerate() {
        let &[first, last, stride] = range else { continue };
        let what = exam.argument(param, Some(i));
        let is = format!("{what} is {first} to {last} with stride {stride}");
        if stride == 0 {
            return exam.tell(&INVALID_ARGUMENT, format!("{is}; a stride must not be 0"));
        }
        if (last - first).signum() * stride.signum() < 0 {
            continue;
        }
        let end = first + (last - first) / stride * stride;
        if ranks == 0 || [first, end].iter().any(|r| !(0..i64::from(ranks)).contains(r)) {
            let message = match ranks {
                0 => format!("{is}; the group has no process"),
                _ => format!("{is}; the group has ranks {}", up_to(i64::from(ranks))),
            };
            return exam.tell(if ranks == 0 { &INVALID_GROUP } else { &INVALID_RANK }, message);
        }
        if let Some((other, rank)) = twice(&mut named, i, (first, end, stride)) {
            let name = exam.name(param);
            let both = if other == i { what } else { format!("{name}[{other}] and {what}") };
            return exam.tell(&INVALID_RANK, format!("{both} both name rank {rank}; a rank may be in the list once"));
        }
    }
    false
}

/// Larger groups are not looked at rank by rank.
const MOST_RANKS: i32 = 1 << 20;

/// The ranks of the range number `i`, which are noted: the first one that was named before, and by which range.
fn twice(named: &mut [Option<u32>], i: usize, (first, end, stride): (i64, i64, i64)) -> Option<(usize, i64)> {
    for step in 0..=(end - first) / stride {
        let rank = first + step * stride;
        let place = named.get_mut(usize::try_from(rank).ok()?)?;
        if let Some(other) = place.replace(i as u32) {
            return Some((other as usize, rank));
        }
    }
    None
}

/// A communicator is made for processes of its communicator (MPI 4.1, 7.4.2).
fn subgroup(exam: &mut Exam) -> bool {
    let (Some(param), comm) = (exam.place("group"), exam.call.info.rules.comm) else { return false };
    let (group, parent) = (exam.object(Kind::Group, param), exam.comm());
    let (Standing::Sound, Standing::Sound, Some(n)) = (group.standing, parent.standing, group.ranks) else {
        return false;
    };
    let n = n.clamp(0, MOST_RANKS);
    let handle = exam.call.abi.handle_arg(Kind::Group, exam.word(param));
    let comm_handle = exam.call.abi.handle_arg(Kind::Comm, exam.word(comm));
    let there = define::places(exam.call.abi, comm_handle, handle, n);
    let Some(stranger) = there.iter().position(|rank| i64::from(*rank) == UNDEFINED) else { return false };
    let (what, name) = (exam.argument(param, None), exam.name(comm));
    let whose = if parent.inter { "the local group of" } else { "the group of" };
    exam.tell(&INVALID_GROUP, format!("rank {stranger} of {what} is a process that is not in {whose} {name}"))
}

fn lock(exam: &mut Exam) -> bool {
    let kind = exam.place("lock_type");
    kind.is_some_and(|p| one_of(exam, p, &["MPI_LOCK_EXCLUSIVE", "MPI_LOCK_SHARED"])) || assertion(exam)
}

/// The assertions that a synchronization knows (MPI 4.1, 12.5.5).
fn assertion(exam: &mut Exam) -> bool {
    let names: &[&str] = match exam.call.info.row.class {
        Class::Collective(..) => &["MPI_MODE_NOSTORE", "MPI_MODE_NOPUT", "MPI_MODE_NOPRECEDE", "MPI_MODE_NOSUCCEED"],
        Class::RmaSync(RmaSync::RmaPost) => &["MPI_MODE_NOCHECK", "MPI_MODE_NOSTORE", "MPI_MODE_NOPUT"],
        _ => &["MPI_MODE_NOCHECK"],
    };
    let all = ["NOCHECK", "NOSTORE", "NOPUT", "NOPRECEDE", "NOSUCCEED"];
    let Some(param) = exam.place("assert") else { return false };
    let value = exam.int(param);
    let allowed = names.iter().filter_map(|n| constant(n)).fold(0, |all, bit| all | bit);
    let foreign = all.iter().find(|name| {
        let full = format!("MPI_MODE_{name}");
        !names.contains(&full.as_str()) && constant(&full).is_some_and(|bit| value & bit != 0)
    });
    // Bits that mean nothing in any call may be hints of the library.
    let Some(name) = foreign.filter(|_| value & !allowed != 0) else { return false };
    let joined = names.join(", ");
    tell(exam, param, value, &format!("it has MPI_MODE_{name}, but here an assertion may be 0 or a sum of {joined}"))
}

fn whence(exam: &mut Exam) -> bool {
    exam.place("whence").is_some_and(|p| one_of(exam, p, &["MPI_SEEK_SET", "MPI_SEEK_CUR", "MPI_SEEK_END"]))
}

fn order(exam: &mut Exam) -> bool {
    exam.place("order").is_some_and(|p| one_of(exam, p, &["MPI_ORDER_C", "MPI_ORDER_FORTRAN"]))
}

/// A part of an array lies in the array (MPI 4.1, 5.1.3).
fn subarray(exam: &mut Exam) -> bool {
    if order(exam) {
        return true;
    }
    let [sizes, subsizes, starts] =
        ["array_of_sizes", "array_of_subsizes", "array_of_starts"].map(|name| exam.place(name).unwrap_or(0));
    let [size, subsize, start] = [sizes, subsizes, starts].map(|param| exam.ints(param));
    for (i, ((size, subsize), start)) in size.iter().zip(&subsize).zip(&start).enumerate() {
        let what = |param| exam.argument(param, Some(i));
        let message = if *size < 1 {
            format!("{} is {size}; it must be 1 or greater", what(sizes))
        } else if *subsize < 1 || subsize > size {
            format!("{} is {subsize}; it must be 1 to {size}, the size of the array", what(subsizes))
        } else if *start < 0 || *start > size - subsize {
            let most = size - subsize;
            format!("{} is {start}; it must be 0 to {most} for {subsize} of {size} elements", what(starts))
        } else {
            continue;
        };
        return exam.tell(&INVALID_ARGUMENT, message);
    }
    false
}

fn window(exam: &mut Exam) -> bool {
    let unit = exam.place("disp_unit").map(|p| (p, exam.int(p)));
    size(exam)
        || unit.is_some_and(|(p, unit)| unit <= 0 && tell(exam, p, unit, "a unit of displacement must be 1 or greater"))
}

fn size(exam: &mut Exam) -> bool {
    let Some(param) = exam.place("size") else { return false };
    let size = exam.int(param);
    size < 0 && tell(exam, param, size, "a size must not be negative")
}

fn offset(exam: &mut Exam) -> bool {
    let Some(param) = exam.place("offset") else { return false };
    let offset = exam.int(param);
    let row = exam.call.info.row;
    let explicit = row.params.iter().any(|p| matches!(p.kind, Kind::SendBuf | Kind::RecvBuf));
    // MPI_DISPLACEMENT_CURRENT is a negative number, and libraries may have more of the kind.
    explicit && (-1_000_000..0).contains(&offset) && tell(exam, param, offset, "an offset must not be negative")
}

/// How a file may be opened (MPI 4.1, 14.2.1).
fn access_mode(exam: &mut Exam) -> bool {
    let Some(param) = exam.place("amode") else { return false };
    let amode = exam.int(param);
    let has = |name: &str| constant(&format!("MPI_MODE_{name}")).is_some_and(|bit| amode & bit != 0);
    let ways = ["RDONLY", "RDWR", "WRONLY"].into_iter().filter(|name| has(name)).count();
    if ways != 1 {
        let must = "exactly one of MPI_MODE_RDONLY, MPI_MODE_RDWR and MPI_MODE_WRONLY must be in it";
        return tell(exam, param, amode, must);
    }
    let creates = if has("CREATE") { "MPI_MODE_CREATE" } else { "MPI_MODE_EXCL" };
    if has("RDONLY") && (has("CREATE") || has("EXCL")) {
        return tell(exam, param, amode, &format!("it has {creates}, which MPI_MODE_RDONLY excludes"));
    }
    has("RDWR")
        && has("SEQUENTIAL")
        && tell(exam, param, amode, "it has MPI_MODE_SEQUENTIAL, which MPI_MODE_RDWR excludes")
}

/// MPI_KEYVAL_INVALID is no key.
fn keyval(exam: &mut Exam) -> bool {
    let invalid = i64::from(exam.call.abi.keyval_invalid);
    let params = exam.call.info.row.params;
    let key = params.iter().position(|p| p.kind == Kind::Keyval && p.dir == Dir::In);
    key.is_some_and(|p| exam.int(p) == invalid && tell(exam, p, "MPI_KEYVAL_INVALID", "it must be a key"))
}
