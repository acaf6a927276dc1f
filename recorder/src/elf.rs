//! Dynamic symbols of the loaded modules, read where the loader has mapped them: no allocation, no lock beyond the
//! loader's own, so that it can be used while the loader binds a symbol.

use std::ffi::{CStr, c_char, c_int, c_void};

const STB_GLOBAL: u8 = 1;
/// The type of a symbol that is a function.
pub const STT_FUNC: u8 = 2;
/// The type of a function whose code the loader asks the symbol for.
pub const STT_GNU_IFUNC: u8 = 10;

const DT_NULL: i64 = 0;
const DT_HASH: i64 = 4;
const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;
const DT_GNU_HASH: i64 = 0x6fff_fef5;

/// Entry of a dynamic section.
#[repr(C)]
struct Dyn {
    tag: i64,
    value: u64,
}

/// The dynamic symbol table of one module.
pub struct Symbols {
    bias: u64,
    symbols: *mut libc::Elf64_Sym,
    strings: *const c_char,
    /// `DT_GNU_HASH`, or null.
    gnu_hash: *const u32,
    /// `DT_HASH`, or null.
    sysv_hash: *const u32,
}

/// Is it the dynamic loader?
pub fn is_loaders(info: &libc::dl_phdr_info) -> bool {
    // SAFETY: getauxval has no preconditions.
    info.dlpi_addr == unsafe { libc::getauxval(libc::AT_BASE) }
}

/// Does the address lie in the dynamic loader?
pub fn is_loader(address: u64) -> bool {
    let mut found = false;
    each_module(&mut |info| {
        found = is_loaders(info) && holds(info, address);
        found
    });
    found
}

/// Calls `visit` for every loaded module until it returns true.
pub fn each_module(visit: &mut dyn FnMut(&libc::dl_phdr_info) -> bool) {
    unsafe extern "C" fn step(info: *mut libc::dl_phdr_info, _size: usize, data: *mut c_void) -> c_int {
        // SAFETY: `each_module` passes a pointer to its closure; `info` is valid during the callback.
        let (info, visit) = unsafe { (&*info, &mut *data.cast::<&mut dyn FnMut(&libc::dl_phdr_info) -> bool>()) };
        c_int::from(visit(info))
    }
    let mut visit = visit;
    // SAFETY: the callback matches the declared type, and the closure outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(step), (&raw mut visit).cast()) };
}

/// The program headers of a module.
pub fn headers(info: &libc::dl_phdr_info) -> &[libc::Elf64_Phdr] {
    if info.dlpi_phdr.is_null() {
        return &[];
    }
    // SAFETY: the loader says that there are `dlpi_phnum` program headers, mapped as long as the module.
    unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize) }
}

/// Does the address lie in a segment of the module?
pub fn holds(info: &libc::dl_phdr_info, address: u64) -> bool {
    headers(info).iter().any(|ph| {
        let start = info.dlpi_addr.wrapping_add(ph.p_vaddr);
        ph.p_type == libc::PT_LOAD && (start..start.wrapping_add(ph.p_memsz)).contains(&address)
    })
}

impl Symbols {
    /// The symbols of a module; `None` if it has none.
    pub fn of(info: &libc::dl_phdr_info) -> Option<Symbols> {
        let bias = info.dlpi_addr;
        let dynamic = headers(info).iter().find(|ph| ph.p_type == libc::PT_DYNAMIC)?;
        let mut entry = bias.wrapping_add(dynamic.p_vaddr) as *const Dyn;
        let (mut symbols, mut strings, mut gnu_hash, mut sysv_hash) = (0, 0, 0, 0);
        loop {
            // SAFETY: a mapped dynamic section ends with DT_NULL.
            let Dyn { tag, value } = unsafe { entry.read() };
            match tag {
                DT_NULL => break,
                DT_SYMTAB => symbols = value,
                DT_STRTAB => strings = value,
                DT_GNU_HASH => gnu_hash = value,
                DT_HASH => sysv_hash = value,
                _ => {}
            }
            // SAFETY: DT_NULL is not reached yet.
            entry = unsafe { entry.add(1) };
        }
        if symbols == 0 || strings == 0 || gnu_hash == 0 && sysv_hash == 0 {
            return None;
        }
        // The loader adds the bias in place, but not for every module (the kernel's is read-only).
        let mapped = |value: u64| if value != 0 && value < bias { value.wrapping_add(bias) } else { value };
        Some(Symbols {
            bias,
            symbols: mapped(symbols) as *mut libc::Elf64_Sym,
            strings: mapped(strings) as *const c_char,
            gnu_hash: mapped(gnu_hash) as *const u32,
            sysv_hash: mapped(sysv_hash) as *const u32,
        })
    }

    /// The symbol at an index below [`Symbols::count`].
    pub fn at(&self, index: usize) -> *mut libc::Elf64_Sym {
        self.symbols.wrapping_add(index)
    }

    /// The name of a symbol of this module.
    pub fn name(&self, symbol: &libc::Elf64_Sym) -> &[u8] {
        // SAFETY: names of symbols lie in the module's string table, each ended by NUL.
        unsafe { CStr::from_ptr(self.strings.wrapping_add(symbol.st_name as usize)) }.to_bytes()
    }

    /// Address of the symbol named `prefix` + `name`, if the module defines it.
    pub fn find(&self, prefix: &[u8], name: &[u8]) -> Option<u64> {
        let wanted = || prefix.iter().chain(name);
        let index = if self.gnu_hash.is_null() { self.find_sysv(&wanted) } else { self.find_gnu(&wanted) }?;
        // SAFETY: the hash table names symbols of the table.
        let symbol = unsafe { &*self.at(index) };
        Some(self.bias.wrapping_add(symbol.st_value))
    }

    fn is<'a, I: Iterator<Item = &'a u8>>(&self, index: usize, wanted: &dyn Fn() -> I) -> bool {
        // SAFETY: the hash table names symbols of the table.
        let symbol = unsafe { &*self.at(index) };
        symbol.st_shndx != 0 && symbol.st_value != 0 && self.name(symbol).iter().eq(wanted())
    }

    /// The GNU hash table: four words, a Bloom filter of 64-bit words, buckets, and chains whose last hash is odd.
    fn find_gnu<'a, I: Iterator<Item = &'a u8>>(&self, wanted: &dyn Fn() -> I) -> Option<usize> {
        let hash = wanted().fold(5381u32, |h, b| h.wrapping_mul(33).wrapping_add(u32::from(*b)));
        let (buckets, first, chains) = self.gnu_parts();
        // SAFETY: `buckets` lies within the mapped hash table.
        let mut index = unsafe { *buckets.0.add((hash.checked_rem(buckets.1)?) as usize) };
        if index < first {
            return None;
        }
        loop {
            // SAFETY: chains go on until a hash with its lowest bit set.
            let chained = unsafe { *chains.add((index - first) as usize) };
            if chained | 1 == hash | 1 && self.is(index as usize, wanted) {
                return Some(index as usize);
            }
            if chained & 1 == 1 {
                return None;
            }
            index += 1;
        }
    }

    /// Buckets with their number, index of the first hashed symbol, chains.
    fn gnu_parts(&self) -> ((*const u32, u32), u32, *const u32) {
        // SAFETY: the header of a mapped hash table has four words, and what it counts follows.
        unsafe {
            let [count, first, bloom_words, _] = *self.gnu_hash.cast::<[u32; 4]>();
            let buckets = self.gnu_hash.add(4 + 2 * bloom_words as usize);
            ((buckets, count), first, buckets.add(count as usize))
        }
    }

    fn find_sysv<'a, I: Iterator<Item = &'a u8>>(&self, wanted: &dyn Fn() -> I) -> Option<usize> {
        let hash = wanted().fold(0u32, |h, b| {
            let h = (h << 4).wrapping_add(u32::from(*b));
            (h ^ (h & 0xf000_0000) >> 24) & 0x0fff_ffff
        });
        // SAFETY: two words of header, then the buckets and the chains that they count.
        unsafe {
            let [buckets, _] = *self.sysv_hash.cast::<[u32; 2]>();
            let mut index = *self.sysv_hash.add(2 + (hash.checked_rem(buckets)?) as usize) as usize;
            while index != 0 {
                if self.is(index, wanted) {
                    return Some(index);
                }
                index = *self.sysv_hash.add(2 + buckets as usize + index) as usize;
            }
        }
        None
    }

    /// Does the module refer to one of these names, each in two parts, without defining it, and not weakly?
    fn needs(&self, names: &[(&[u8], &[u8])]) -> bool {
        let is_needed = |index: usize| {
            // SAFETY: the index is below the number of symbols.
            let symbol = unsafe { &*self.at(index) };
            let is_strong = symbol.st_shndx == 0 && symbol.st_info >> 4 == STB_GLOBAL;
            is_strong && names.iter().any(|(prefix, rest)| self.name(symbol).strip_prefix(*prefix) == Some(*rest))
        };
        // Linkers put some that the module does not define among those that a GNU hash table covers, too.
        (1..self.count()).any(is_needed)
    }

    /// Number of symbols.
    pub fn count(&self) -> usize {
        if !self.sysv_hash.is_null() {
            // SAFETY: the second word of the table is the number of chains, one a symbol.
            return unsafe { *self.sysv_hash.add(1) } as usize;
        }
        let ((buckets, count), first, chains) = self.gnu_parts();
        // SAFETY: as in `find_gnu`.
        unsafe {
            let last = (0..count as usize).map(|i| *buckets.add(i)).max().unwrap_or(0);
            if last < first {
                return first as usize;
            }
            let mut index = last;
            while *chains.add((index - first) as usize) & 1 == 0 {
                index += 1;
            }
            index as usize + 1
        }
    }
}

/// Does a module but this one refer to one of these names, each in two parts, without defining it, and not weakly?
pub fn is_any_needed(names: &[(&[u8], &[u8])]) -> bool {
    let own = is_any_needed as *const () as u64;
    let mut found = false;
    each_module(&mut |info| {
        if !holds(info, own) {
            found = Symbols::of(info).is_some_and(|s| s.needs(names));
        }
        found
    });
    found
}

/// Address of `prefix` + `name` in the first module but this one that defines it.
pub fn find_elsewhere(prefix: &[u8], name: &[u8]) -> Option<u64> {
    let own = find_elsewhere as *const () as u64;
    let mut found = None;
    each_module(&mut |info| {
        if !holds(info, own) {
            found = Symbols::of(info).and_then(|s| s.find(prefix, name));
        }
        found.is_some()
    });
    found
}
