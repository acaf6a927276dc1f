//! The debugger's side of the interface: the functions that the DLL calls while it looks at the target.
//!
//! Pointers to images, processes and types are names, which nobody follows. There is one target a thread at a time.

use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::modules::Module;
use crate::symbols::Symbols;
use crate::types::{Structure, Types};
use mqs::TargetTypeSizes;
use mqs::objects::DOCUMENTED_TYPE_SIZES_BYTES;
use mqs::{
    Address, BasicCallbacks, Image, ImageCallbacks, ImageInfo, Process, ProcessCallbacks, ProcessInfo, Type, codes,
};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::PathBuf;
use std::rc::Rc;

/// The unit in which memory is compared.
const BLOCK: u64 = 64;

/// The target as the DLL sees it.
#[derive(Debug)]
pub struct Host {
    pub modules: Vec<Module>,
    pub memory: Memory,
    pub types: Types,
    pub rank: c_int,
    /// The DLL's `mqs_target_type_sizes` has all seven numbers.
    pub seven_sizes: bool,
    symbols: RefCell<HashMap<PathBuf, Rc<Symbols>>>,
    /// Types that the DLL holds; their names are numbers from 1.
    given_types: RefCell<Vec<Structure>>,
    image_info: Cell<*mut ImageInfo>,
    process_info: Cell<*mut ProcessInfo>,
    /// Lines that the DLL printed.
    pub printed: RefCell<Vec<String>>,
    /// Addresses and sizes of the memory that the DLL has read since this was cleared.
    pub fetched: RefCell<Vec<(Address, usize)>>,
    /// Blocks of memory that the DLL has read since this was cleared, and `reach` bytes behind each: see
    /// [`Host::fingerprint`].
    pub touched: RefCell<BTreeSet<u64>>,
    pub reach: u64,
    /// The target ended while it was read.
    pub gone: Cell<bool>,
    /// Types and fields that were asked for and not found.
    pub missing: RefCell<Vec<String>>,
}

impl Host {
    pub fn new(modules: Vec<Module>, memory: Memory, rank: c_int) -> Host {
        Host {
            modules,
            memory,
            types: Types::None,
            rank,
            seven_sizes: false,
            symbols: RefCell::default(),
            given_types: RefCell::default(),
            image_info: Cell::new(std::ptr::null_mut()),
            process_info: Cell::new(std::ptr::null_mut()),
            printed: RefCell::default(),
            fetched: RefCell::default(),
            touched: RefCell::default(),
            reach: 0,
            gone: Cell::new(false),
            missing: RefCell::default(),
        }
    }

    /// Symbols of a module; none if its file cannot be read.
    pub fn symbols_of(&self, module: &Module) -> Rc<Symbols> {
        let mut all = self.symbols.borrow_mut();
        let load = || Rc::new(Symbols::of(module).unwrap_or_default());
        Rc::clone(all.entry(module.path.clone()).or_insert_with(load))
    }

    /// The address of a symbol: the program comes first, since it may hold the library's data (copy relocation).
    pub fn find(&self, name: &str, function: bool) -> Option<Address> {
        self.modules.iter().find_map(|module| {
            let symbols = self.symbols_of(module);
            symbols.find(name).filter(|s| s.function == function).map(|s| s.address)
        })
    }

    /// A fingerprint of all memory that the DLL has looked at, with `reach` bytes behind each place: it is another
    /// one if anything there has changed.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for block in self.touched.borrow().iter() {
            (block, self.memory.read_some(block * BLOCK, BLOCK as usize)).hash(&mut hasher);
        }
        hasher.finish()
    }

    fn fetch(&self, from: Address, bytes: &mut [u8]) -> Result<()> {
        self.fetched.borrow_mut().push((from, bytes.len()));
        let end = from.saturating_add(bytes.len() as u64).saturating_add(self.reach);
        self.touched.borrow_mut().extend(from / BLOCK..=end / BLOCK);
        let read = self.memory.read(from, bytes);
        self.gone.set(self.gone.get() || matches!(read, Err(Error::Gone)));
        read
    }

    fn find_type(&self, name: &str) -> *mut Type {
        let Some(found) = self.types.find(name) else {
            self.missing.borrow_mut().push(name.to_owned());
            return std::ptr::null_mut();
        };
        let mut given = self.given_types.borrow_mut();
        given.push(found);
        std::ptr::without_provenance_mut(given.len())
    }

    fn given_type<T>(&self, kind: *mut Type, look: impl FnOnce(&Structure) -> Option<T>) -> Option<T> {
        let given = self.given_types.borrow();
        look(given.get(kind.addr().checked_sub(1)?)?)
    }
}

thread_local! {
    static HOST: RefCell<Option<Rc<Host>>> = const { RefCell::new(None) };
}

/// From now on the callbacks of this thread answer for this target.
pub fn install(host: Rc<Host>) {
    HOST.with(|h| *h.borrow_mut() = Some(host));
}

/// The result of `answer` for the target, or `otherwise` without one.
fn ask<T>(otherwise: T, answer: impl FnOnce(&Host) -> T) -> T {
    let host = HOST.try_with(|h| h.try_borrow().ok().and_then(|h| h.clone())).ok().flatten();
    host.map_or(otherwise, |host| answer(&host))
}

/// The name of the only image.
pub fn image() -> *mut Image {
    std::ptr::without_provenance_mut(16)
}

/// The name of the only process.
pub fn process() -> *mut Process {
    std::ptr::without_provenance_mut(32)
}

pub static BASIC: BasicCallbacks = BasicCallbacks {
    malloc: Some(malloc),
    free: Some(free),
    dprints: Some(dprints),
    errorstring: Some(errorstring),
    put_image_info: Some(put_image_info),
    get_image_info: Some(get_image_info),
    put_process_info: Some(put_process_info),
    get_process_info: Some(get_process_info),
};

pub static IMAGE: ImageCallbacks = ImageCallbacks {
    get_type_sizes: Some(get_type_sizes),
    find_function: Some(find_function),
    find_symbol: Some(find_symbol),
    find_type: Some(find_type),
    field_offset: Some(field_offset),
    sizeof: Some(sizeof),
};

pub static PROCESS: ProcessCallbacks = ProcessCallbacks {
    get_global_rank: Some(get_global_rank),
    get_image: Some(get_image),
    fetch_data: Some(fetch_data),
    target_to_host: Some(target_to_host),
};

unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    // SAFETY: no conditions. Zeroed, against DLLs that read what they have not written.
    unsafe { libc::calloc(size.max(1), 1) }
}

unsafe extern "C" fn free(buffer: *mut c_void) {
    // SAFETY: the DLL gives back what `malloc` gave it.
    unsafe { libc::free(buffer) }
}

unsafe extern "C" fn dprints(text: *const c_char) {
    // SAFETY: a text, by the interface.
    if let Some(text) = unsafe { borrowed(text) } {
        ask((), |host| host.printed.borrow_mut().push(text.trim_end().to_owned()));
    }
}

unsafe extern "C" fn errorstring(code: c_int) -> *mut c_char {
    let text = match code {
        codes::OK => c"no error",
        codes::NO_INFORMATION => c"no information",
        codes::END_OF_LIST => c"end of list",
        _ => c"an error of mpivet",
    };
    text.as_ptr().cast_mut()
}

unsafe extern "C" fn put_image_info(_image: *mut Image, info: *mut ImageInfo) {
    ask((), |host| host.image_info.set(info));
}

unsafe extern "C" fn get_image_info(_image: *mut Image) -> *mut ImageInfo {
    ask(std::ptr::null_mut(), |host| host.image_info.get())
}

unsafe extern "C" fn put_process_info(_process: *mut Process, info: *mut ProcessInfo) {
    ask((), |host| host.process_info.set(info));
}

unsafe extern "C" fn get_process_info(_process: *mut Process) -> *mut ProcessInfo {
    ask(std::ptr::null_mut(), |host| host.process_info.get())
}

unsafe extern "C" fn get_type_sizes(_process: *mut Process, sizes: *mut TargetTypeSizes) {
    static SIZES: TargetTypeSizes = TargetTypeSizes {
        short_size: 2,
        int_size: 4,
        long_size: 8,
        long_long_size: 8,
        pointer_size: 8,
        bool_size: 1,
        size_t_size: 8,
    };
    let seven = ask(false, |host| host.seven_sizes);
    let bytes = if seven { size_of::<TargetTypeSizes>() } else { DOCUMENTED_TYPE_SIZES_BYTES };
    if !sizes.is_null() {
        // SAFETY: a place for as many numbers as the DLL's header has.
        unsafe { std::ptr::copy_nonoverlapping((&raw const SIZES).cast::<u8>(), sizes.cast::<u8>(), bytes) };
    }
}

unsafe extern "C" fn find_function(
    _image: *mut Image,
    name: *mut c_char,
    _language: c_int,
    address: *mut Address,
) -> c_int {
    // SAFETY: by the interface.
    unsafe { find(name, true, address) }
}

unsafe extern "C" fn find_symbol(_image: *mut Image, name: *mut c_char, address: *mut Address) -> c_int {
    // SAFETY: by the interface.
    unsafe { find(name, false, address) }
}

/// # Safety
/// `name` is a text, `address` a place for an address or null.
unsafe fn find(name: *const c_char, function: bool, address: *mut Address) -> c_int {
    // SAFETY: by the caller.
    let Some(name) = (unsafe { borrowed(name) }) else { return codes::NO_INFORMATION };
    match ask(None, |host| host.find(&name, function)) {
        Some(found) => {
            if !address.is_null() {
                // SAFETY: by the caller.
                unsafe { address.write(found) };
            }
            codes::OK
        }
        None => codes::NO_INFORMATION,
    }
}

unsafe extern "C" fn find_type(_image: *mut Image, name: *mut c_char, _language: c_int) -> *mut Type {
    // SAFETY: a text, by the interface.
    let name = unsafe { borrowed(name) };
    name.map_or(std::ptr::null_mut(), |name| ask(std::ptr::null_mut(), |host| host.find_type(&name)))
}

unsafe extern "C" fn field_offset(kind: *mut Type, field: *mut c_char) -> c_int {
    // SAFETY: a text, by the interface.
    let Some(field) = (unsafe { borrowed(field) }) else { return -1 };
    ask(-1, |host| {
        let offset = host.given_type(kind, |t| t.fields.get(&field).copied());
        if offset.is_none() {
            host.missing.borrow_mut().push(format!("field {field}"));
        }
        offset.and_then(|o| c_int::try_from(o).ok()).unwrap_or(-1)
    })
}

unsafe extern "C" fn sizeof(kind: *mut Type) -> c_int {
    let size = ask(None, |host| host.given_type(kind, |t| t.size));
    size.and_then(|s| c_int::try_from(s).ok()).unwrap_or(-1)
}

unsafe extern "C" fn get_global_rank(_process: *mut Process) -> c_int {
    ask(codes::INVALID_PROCESS, |host| host.rank)
}

unsafe extern "C" fn get_image(_process: *mut Process) -> *mut Image {
    image()
}

unsafe extern "C" fn fetch_data(_process: *mut Process, from: Address, size: c_int, to: *mut c_void) -> c_int {
    let Ok(size) = usize::try_from(size) else { return codes::NO_INFORMATION };
    if to.is_null() {
        return codes::NO_INFORMATION;
    }
    let mut bytes = vec![0; size];
    if ask(Err(Error::Gone), |host| host.fetch(from, &mut bytes)).is_err() {
        return codes::NO_INFORMATION;
    }
    // SAFETY: a place for so many bytes, by the interface.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.cast::<u8>(), size) };
    codes::OK
}

/// The target has the byte order of this machine.
unsafe extern "C" fn target_to_host(_process: *mut Process, from: *const c_void, to: *mut c_void, size: c_int) {
    if let Ok(size) = usize::try_from(size)
        && !from.is_null()
        && !to.is_null()
    {
        // SAFETY: places of so many bytes, by the interface; they may be one.
        unsafe { std::ptr::copy(from.cast::<u8>(), to.cast::<u8>(), size) };
    }
}

/// # Safety
/// `text` is null, or a text that ends with a zero.
unsafe fn borrowed(text: *const c_char) -> Option<String> {
    // SAFETY: by the caller.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
