//! Encodes the arguments of a call into a record, by the function's plan.

mod blobs;
mod steps;
pub(crate) use steps::Steps;

use crate::call::info::Info;
use crate::mpi::abi::Abi;
use crate::mpi::handles;
use crate::mpi::words::{Words, ask, c_string};
use trace_format::definition::{NULL_ID, UNKNOWN_ID};
use trace_format::mpi::{FnId, Kind, special};
use trace_format::plan::{Elem, Item, Len, Shape};
use trace_format::record::{BLOB_BIT, MAX_INLINE_BYTES, STATUS_BYTES, pack_status};

/// Where values are written to, one after the other. Whoever makes one has reserved room for all.
pub(crate) struct Out(pub(crate) *mut u8);

impl Out {
    #[inline(always)]
    fn put4(&mut self, value: u32) {
        // SAFETY: there is room for all values that are written.
        unsafe {
            self.0.cast::<u32>().write_unaligned(value);
            self.0 = self.0.add(4);
        }
    }

    #[inline(always)]
    fn put8(&mut self, value: u64) {
        // SAFETY: as in `put4`.
        unsafe {
            self.0.cast::<u64>().write_unaligned(value);
            self.0 = self.0.add(8);
        }
    }

    fn put_bytes(&mut self, bytes: &[u8]) {
        // SAFETY: as in `put4`; the source is a live slice elsewhere.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.0, bytes.len());
            self.0 = self.0.add(bytes.len());
        }
    }

    /// The status at an address: that of one of this family, the program's or our own.
    #[inline(always)]
    fn put_status(&mut self, abi: &Abi, address: u64) {
        // SAFETY: the caller vouches for the status.
        let status = unsafe { abi.status_at(address) };
        let packed = pack_status(status);
        // SAFETY: as in `put4`.
        unsafe {
            self.0.cast::<[u8; STATUS_BYTES]>().write_unaligned(packed);
            self.0 = self.0.add(STATUS_BYTES);
        }
    }
}

/// An address that may be followed; 0 if it stands for something else.
#[inline(always)]
fn followed(abi: &Abi, address: u64) -> u64 {
    if address >= abi.lowest_address && address != u64::MAX { address } else { 0 }
}

/// Writes values one after the other, by their plans.
pub(crate) struct Encoder<'a> {
    pub(crate) out: Out,
    pub(crate) abi: &'static Abi,
    pub(crate) handles: &'a mut handles::Cache,
    pub(crate) words: &'a Words,
    pub(crate) info: &'a Info,
}

/// Most bytes that the values of these items can take.
pub(crate) fn max_bytes(items: &[Item]) -> usize {
    items
        .iter()
        .map(|i| match i.shape {
            Shape::Arg(e) | Shape::Deref(e) => e.width(),
            Shape::SlotAndDeref(e) => 8 + e.width(),
            Shape::Array { .. } | Shape::Str { .. } | Shape::StrArray { .. } => 4 + MAX_INLINE_BYTES,
            Shape::SlotAndArray { .. } => 12 + MAX_INLINE_BYTES,
        })
        .sum()
}

/// Writes values of a call to `at`, where there is room for all of them.
#[inline(always)]
pub(crate) fn encoder<'a>(
    at: *mut u8,
    handles: &'a mut handles::Cache,
    info: &'a Info,
    abi: &'static Abi,
    words: &'a Words,
) -> Encoder<'a> {
    Encoder { out: Out(at), abi, handles, words, info }
}

impl Encoder<'_> {
    #[inline(always)]
    fn word(&self, param: usize) -> u64 {
        self.words.get(param).copied().unwrap_or(0)
    }

    /// An address that may be followed; 0 if it stands for something else.
    #[inline(always)]
    fn address(&self, param: usize) -> u64 {
        followed(self.abi, self.word(param))
    }

    /// One element whose value is in a word (the upper half is undefined for 4-byte values).
    #[inline(always)]
    fn put_elem(&mut self, elem: Elem, value: u64) {
        match elem {
            Elem::I32(Kind::Rank | Kind::Root) => self.out.put4(self.abi.rank(value as i32) as u32),
            Elem::I32(Kind::Tag) => self.out.put4(self.abi.tag(value as i32) as u32),
            Elem::I32(_) => self.out.put4(value as u32),
            Elem::I64(Kind::SendBuf | Kind::RecvBuf | Kind::Buf) => self.out.put8(self.abi.buffer(value) as u64),
            Elem::I64(_) => self.out.put8(value),
            Elem::Handle(kind) => {
                let id = self.handles.id(kind, self.abi.handle_arg(kind, value));
                self.out.put4(id);
            }
            Elem::Raw(kind) => {
                let raw = raw_handle(kind, self.abi.handle_arg(kind, value));
                self.out.put8(raw as u64);
            }
            Elem::Status => {}
        }
    }

    /// The element at an address.
    #[inline(always)]
    fn load(&self, elem: Elem, address: u64) -> u64 {
        let bytes = self.memory_bytes(elem);
        // SAFETY: the program passed the address to MPI as that of such a value.
        unsafe {
            if bytes == 4 {
                u64::from((address as *const u32).read_unaligned())
            } else {
                (address as *const u64).read_unaligned()
            }
        }
    }

    #[inline(always)]
    fn memory_bytes(&self, elem: Elem) -> usize {
        match elem {
            Elem::I32(_) => 4,
            Elem::I64(_) => 8,
            Elem::Handle(kind) | Elem::Raw(kind) => self.abi.handle_bytes(kind),
            Elem::Status => self.abi.status_size(),
        }
    }

    /// Values at the call.
    #[inline(always)]
    pub(crate) fn ins(&mut self) {
        let info = self.info;
        self.follow(&info.ins, &info.plan.ins, true);
    }

    /// Values at the return. After an error the outputs are undefined and recorded as zero.
    #[inline(always)]
    pub(crate) fn outs(&mut self, valid: bool) {
        let info = self.info;
        self.follow(&info.outs, &info.plan.outs, valid);
    }

    #[inline(always)]
    fn put_handle(&mut self, kind: Kind, handle: u64) {
        let id = self.handles.id(kind, handle);
        self.out.put4(id);
    }

    /// Any value, by its plan.
    #[inline(never)]
    pub(crate) fn item(&mut self, item: &Item, valid: bool) {
        match item.shape {
            Shape::Arg(elem) => {
                let value = self.word(item.param);
                self.put_elem(elem, value);
            }
            Shape::Deref(Elem::Status) => match self.address(item.param) {
                a if a != 0 && valid => self.out.put_status(self.abi, a),
                _ => self.out.put_bytes(&[0; STATUS_BYTES]),
            },
            Shape::Deref(elem) => {
                let value = match self.address(item.param) {
                    a if a != 0 && valid => self.load(elem, a),
                    _ => return self.out.put_bytes(self.zeros(elem)),
                };
                self.put_elem(elem, value);
            }
            Shape::SlotAndDeref(elem) => {
                let address = self.address(item.param);
                self.out.put8(address);
                if address == 0 {
                    self.out.put8(0);
                } else {
                    let value = self.load(elem, address);
                    self.put_elem(elem, value);
                }
            }
            Shape::Array { elem, len, at_root } => self.array(item.param, elem, len, at_root, valid),
            Shape::SlotAndArray { elem, len, at_root } => {
                let address = self.address(item.param);
                self.out.put8(address);
                self.array(item.param, elem, len, at_root, valid);
            }
            Shape::Str { len, at_root } => {
                let readable = valid && (!at_root || self.is_root()) && self.flag_allows(item.param);
                let address = if readable { self.address(item.param) } else { 0 };
                let text = if address == 0 { &[] } else { c_string(address) };
                let most = match len {
                    Some(Len::OutParam(p)) => self.int_behind(p),
                    _ => usize::MAX,
                };
                let text = text.get(..text.len().min(most)).unwrap_or(text);
                self.bytes_or_blob(text.len(), text);
            }
            Shape::StrArray { count, at_root } => {
                let readable = !at_root || self.is_root();
                let address = if readable { self.address(item.param) } else { 0 };
                let most = count.map_or(usize::MAX, |p| (self.word(p) as i32).max(0) as usize);
                let text = joined(address, most);
                self.bytes_or_blob(text.len(), &text);
            }
        }
    }

    fn zeros(&self, elem: Elem) -> &'static [u8] {
        static ZEROS: [u8; 16] = [0; 16];
        ZEROS.get(..elem.width()).unwrap_or(&ZEROS)
    }

    /// Length of an array parameter now.
    pub(crate) fn length(&self, len: Len, at_root: bool) -> usize {
        if at_root && !self.is_root() {
            return 0;
        }
        match len {
            Len::Const(n) => n,
            Len::Param(p) => (self.word(p) as i32).max(0) as usize,
            Len::Times(n, p) => n * (self.word(p) as i32).max(0) as usize,
            Len::OutParam(p) => self.int_behind(p),
            Len::CommSize => self.comm_query(|comm, inter| match inter {
                true => ask(FnId::MPI_Comm_remote_size, comm),
                false => ask(FnId::MPI_Comm_size, comm),
            }),
            Len::LocalSize => self.comm_query(|comm, _| ask(FnId::MPI_Comm_size, comm)),
            Len::InNeighbors => self.comm_query(|comm, _| crate::mpi::define::neighbors(self.abi, comm).sources.len()),
            Len::OutNeighbors => {
                self.comm_query(|comm, _| crate::mpi::define::neighbors(self.abi, comm).destinations.len())
            }
            Len::CartDims => {
                self.comm_query(|comm, _| match crate::mpi::define::topology(comm) == self.abi.named.topo_cart {
                    true => ask(FnId::MPI_Cartdim_get, comm),
                    false => 0,
                })
            }
            Len::Sum(p) => self.ints(p).iter().map(|v| (*v).max(0) as usize).sum(),
            Len::Last(p) => self.ints(p).last().map_or(0, |v| (*v).max(0) as usize),
        }
    }

    /// An integer array parameter, as long as the plan says.
    fn ints(&self, param: usize) -> &[i32] {
        let item = self.info.plan.ins.iter().find(|i| i.param == param);
        let Some(Item { shape: Shape::Array { len, at_root, .. }, .. }) = item else { return &[] };
        let (n, address) = (self.length(*len, *at_root), self.address(param));
        if address == 0 || n == 0 {
            return &[];
        }
        // SAFETY: the program passed an array of this length.
        unsafe { std::slice::from_raw_parts(address as *const i32, n) }
    }

    fn int_behind(&self, param: usize) -> usize {
        match self.address(param) {
            0 => 0,
            // SAFETY: an output parameter of type int that MPI has written.
            a => unsafe { (a as *const i32).read_unaligned() }.max(0) as usize,
        }
    }

    /// An output string means nothing while the `flag` beside it is false.
    fn flag_allows(&self, param: usize) -> bool {
        if !self.info.plan.outs.iter().any(|i| i.param == param) {
            return true;
        }
        let flag = self.info.plan.outs.iter().find(|i| i.shape == Shape::Deref(Elem::I32(Kind::Flag)));
        flag.is_none_or(|f| self.int_behind(f.param) != 0)
    }

    /// Asks something of the call's communicator, if it is one that is known to be valid.
    fn comm_query(&self, f: impl FnOnce(u64, bool) -> usize) -> usize {
        let Some(param) = self.info.plan.comm else { return 0 };
        let comm = self.abi.handle_arg(Kind::Comm, self.word(param));
        match handles::lookup(Kind::Comm, comm) {
            NULL_ID | UNKNOWN_ID => 0,
            _ => f(comm, ask(FnId::MPI_Comm_test_inter, comm) != 0),
        }
    }

    fn is_root(&self) -> bool {
        let Some(param) = self.info.plan.root else { return true };
        let root = self.abi.rank(self.word(param) as i32);
        self.comm_query(|comm, inter| {
            usize::from(if inter { root == special::ROOT } else { root == ask(FnId::MPI_Comm_rank, comm) as i32 })
        }) != 0
    }

    fn array(&mut self, param: usize, elem: Elem, len: Len, at_root: bool, valid: bool) {
        let address = self.address(param);
        // After an error the length behind an output parameter may never have been written.
        let unknown = !valid && matches!(len, Len::OutParam(_));
        let skip = address == 0 || unknown || self.is_ignored(param) || handles::is_no_weights(address);
        let n = if skip { 0 } else { self.length(len, at_root).min(i32::MAX as usize) };
        if n * elem.width() > MAX_INLINE_BYTES {
            return self.long_array(address, elem, n, valid);
        }
        self.out.put4(n as u32);
        self.elements(address, elem, n, valid);
    }

    /// Parameters between the send and the receive buffer of a call with MPI_IN_PLACE as send buffer are ignored by
    /// MPI and may be garbage.
    fn is_ignored(&self, param: usize) -> bool {
        let in_place = self.info.ignored_in_place;
        in_place.is_some_and(|(send, recv)| (send + 1..recv).contains(&param) && self.abi.is_in_place(self.word(send)))
    }

    fn elements(&mut self, address: u64, elem: Elem, n: usize, valid: bool) {
        let stride = self.memory_bytes(elem) as u64;
        if elem == Elem::Raw(Kind::Request) && valid {
            return self.requests(address, n, stride);
        }
        for i in 0..n as u64 {
            let place = address + i * stride;
            match elem {
                _ if !valid => self.out.put_bytes(self.zeros(elem)),
                Elem::Status => self.out.put_status(self.abi, place),
                _ => {
                    let value = self.load(elem, place);
                    self.put_elem(elem, value);
                }
            }
        }
    }

    /// The requests of a call that completes many.
    fn requests(&mut self, address: u64, n: usize, bytes: u64) {
        for i in 0..n as u64 {
            let place = address + i * bytes;
            // SAFETY: the program passed an array of handles of this size to MPI.
            let handle = unsafe {
                if bytes == 4 {
                    u64::from((place as *const u32).read_unaligned())
                } else {
                    (place as *const u64).read_unaligned()
                }
            };
            self.out.put8(raw_handle(Kind::Request, handle) as u64);
        }
    }

    /// Encodes an array elsewhere and refers to it as a blob.
    #[cold]
    fn long_array(&mut self, address: u64, elem: Elem, n: usize, valid: bool) {
        let mut bytes = vec![0u8; n * elem.width()];
        let here = std::mem::replace(&mut self.out.0, bytes.as_mut_ptr());
        self.elements(address, elem, n, valid);
        self.out.0 = here;
        self.bytes_or_blob(n, &bytes);
    }

    /// Length and bytes; too many bytes become a blob.
    fn bytes_or_blob(&mut self, len: usize, bytes: &[u8]) {
        if bytes.len() <= MAX_INLINE_BYTES {
            self.out.put4(len as u32);
            self.out.put_bytes(bytes);
        } else {
            self.out.put4(blobs::number_of(bytes) | BLOB_BIT);
        }
    }
}

/// A request or message in neutral form: 0 for the null handle.
#[inline(always)]
fn raw_handle(kind: Kind, handle: u64) -> i64 {
    if kind == Kind::Request {
        // The one request that programs have most of is predefined.
        return if handles::is_null_request(handle) { special::REQUEST_NULL } else { handle as i64 };
    }
    if !handles::is_predefined(kind, handle) {
        handle as i64
    } else if kind == Kind::Message && handles::lookup(kind, handle) == 1 {
        special::MESSAGE_NO_PROC
    } else {
        special::REQUEST_NULL
    }
}

/// The strings of an array of at most `most`, or up to NULL, joined by spaces.
fn joined(mut address: u64, most: usize) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..most {
        if address == 0 {
            break;
        }
        // SAFETY: the program passed an array of C strings of this length or one that ends with NULL.
        let string = unsafe { (address as *const u64).read_unaligned() };
        if string == 0 {
            break;
        }
        if !text.is_empty() {
            text.push(b' ');
        }
        text.extend_from_slice(c_string(string));
        address += 8;
    }
    text
}
