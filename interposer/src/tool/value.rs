//! The values of variables: their datatypes, reading and writing them as text.

use super::interface::Interface;
use crate::mpi::library::MpiLibrary;
use trace_format::mpi::Kind;

/// How the elements of a variable are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    Signed(usize),
    Unsigned(usize),
    Real,
    Text,
    /// C's `bool`, one byte.
    Bool,
}

/// The datatypes that variables may have (MPI 4.1, 15.3.5), and some that libraries use besides.
const DATATYPES: [(&str, Layout); 12] = [
    ("MPI_INT", Layout::Signed(4)),
    ("MPI_UNSIGNED", Layout::Unsigned(4)),
    ("MPI_UNSIGNED_LONG", Layout::Unsigned(8)),
    ("MPI_UNSIGNED_LONG_LONG", Layout::Unsigned(8)),
    ("MPI_COUNT", Layout::Signed(8)),
    ("MPI_CHAR", Layout::Text),
    ("MPI_DOUBLE", Layout::Real),
    ("MPI_C_BOOL", Layout::Bool),
    ("MPI_INT32_T", Layout::Signed(4)),
    ("MPI_UINT32_T", Layout::Unsigned(4)),
    ("MPI_INT64_T", Layout::Signed(8)),
    ("MPI_UINT64_T", Layout::Unsigned(8)),
];

/// The datatypes of this library by their handles.
pub(crate) struct Datatypes(Vec<(u64, &'static str, Layout)>);

impl Datatypes {
    pub(crate) fn of(library: &MpiLibrary) -> Datatypes {
        let known = DATATYPES.iter().filter_map(|(name, layout)| {
            library.predefined_handle(Kind::Datatype, name).map(|handle| (handle, *name, *layout))
        });
        Datatypes(known.collect())
    }

    /// Name and layout of the datatype whose handle the library has put into `word`.
    pub(crate) fn find(&self, library: &MpiLibrary, word: u64) -> Option<(&'static str, Layout)> {
        let handle = library.abi().handle_arg(Kind::Datatype, word);
        self.0.iter().find(|d| d.0 == handle).map(|d| (d.1, d.2))
    }
}

impl Layout {
    pub(crate) fn bytes(self) -> usize {
        match self {
            Layout::Signed(bytes) | Layout::Unsigned(bytes) => bytes,
            Layout::Real => 8,
            Layout::Text | Layout::Bool => 1,
        }
    }

    /// The elements in `bytes` as text, with commas between.
    pub(crate) fn text(self, bytes: &[u8]) -> String {
        if self == Layout::Text {
            let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
            return String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned();
        }
        let elements: Vec<String> = bytes.chunks_exact(self.bytes()).map(|element| self.element(element)).collect();
        elements.join(",")
    }

    fn element(self, bytes: &[u8]) -> String {
        let word = word(bytes);
        match self {
            Layout::Signed(4) => (word as i32).to_string(),
            Layout::Signed(_) => (word as i64).to_string(),
            Layout::Unsigned(_) => word.to_string(),
            Layout::Real => f64::from_bits(word).to_string(),
            Layout::Bool => (word != 0).to_string(),
            Layout::Text => String::new(),
        }
    }

    /// The bytes of what a user wrote; an error says what it should be. `room`: most characters of a text.
    pub(crate) fn parse(self, text: &str, room: usize) -> Result<Vec<u8>, &'static str> {
        Ok(match self {
            Layout::Signed(4) => text.parse::<i32>().map_err(|_| "an integer")?.to_le_bytes().to_vec(),
            Layout::Signed(_) => text.parse::<i64>().map_err(|_| "an integer")?.to_le_bytes().to_vec(),
            Layout::Unsigned(4) => {
                text.parse::<u32>().map_err(|_| "a number that is not negative")?.to_le_bytes().to_vec()
            }
            Layout::Unsigned(_) => {
                text.parse::<u64>().map_err(|_| "a number that is not negative")?.to_le_bytes().to_vec()
            }
            Layout::Real => text.parse::<f64>().map_err(|_| "a number")?.to_le_bytes().to_vec(),
            Layout::Bool => match text {
                "true" | "1" => vec![1],
                "false" | "0" => vec![0],
                _ => return Err("true or false"),
            },
            Layout::Text if text.len() < room => text.bytes().chain([0]).collect(),
            Layout::Text => return Err("a shorter text"),
        })
    }
}

/// The number in up to eight bytes.
pub(crate) fn word(bytes: &[u8]) -> u64 {
    let mut word = [0u8; 8];
    word.iter_mut().zip(bytes).for_each(|(w, b)| *w = *b);
    u64::from_le_bytes(word)
}

/// A handle of a control variable that is bound to no object.
pub(crate) struct Handle<'a> {
    interface: &'a Interface,
    handle: u64,
    /// Its elements.
    pub(crate) count: usize,
}

impl Handle<'_> {
    pub(crate) fn new(interface: &Interface, index: i32) -> Result<Handle<'_>, i32> {
        let (mut handle, mut count) = (0u64, 0i32);
        let args = [index as u64, 0, &raw mut handle as u64, &raw mut count as u64];
        match interface.call("PMPI_T_cvar_handle_alloc", &args) {
            0 => Ok(Handle { interface, handle, count: count.max(0) as usize }),
            class => Err(class),
        }
    }

    pub(crate) fn read(&self, layout: Layout) -> Option<Vec<u8>> {
        // Words, so that all types are aligned; more of them than the library says, since a text may have grown.
        let bytes = self.count * layout.bytes();
        let mut words = self.interface.words.borrow_mut();
        let room = words.len().max(bytes / 8 + 1024);
        words.resize(room, 0);
        // Bytes of an earlier value are no end of a text.
        words.iter_mut().take(bytes / 8 + 1).for_each(|word| *word = 0);
        if self.interface.call("PMPI_T_cvar_read", &[self.handle, words.as_mut_ptr() as u64]) != 0 {
            return None;
        }
        let end = if layout == Layout::Text { words.len() * 8 } else { bytes };
        let mut all = Vec::with_capacity(end.min(64));
        for word in words.iter() {
            let bytes = word.to_le_bytes();
            all.extend_from_slice(&bytes);
            if all.len() >= end || layout == Layout::Text && bytes.contains(&0) {
                break;
            }
        }
        all.truncate(end);
        Some(all)
    }

    /// An error class, 0 for success.
    pub(crate) fn write(&self, bytes: &[u8]) -> i32 {
        let mut words = vec![0u64; self.count.max(bytes.len()) / 8 + 8];
        for (word_of, part) in words.iter_mut().zip(bytes.chunks(8)) {
            *word_of = word(part);
        }
        self.interface.call("PMPI_T_cvar_write", &[self.handle, words.as_ptr() as u64])
    }
}

impl Drop for Handle<'_> {
    fn drop(&mut self) {
        self.interface.call("PMPI_T_cvar_handle_free", &[&raw mut self.handle as u64]);
    }
}

/// The words of an enumeration.
pub(crate) fn words(interface: &Interface, enumeration: u64) -> Vec<(i32, String)> {
    if enumeration == 0 {
        return Vec::new();
    }
    let mut count = 0i32;
    let mut texts = interface.texts.borrow_mut();
    let (name, _) = &mut *texts;
    let [at, len] = name.room();
    if interface.call("PMPI_T_enum_get_info", &[enumeration, &raw mut count as u64, at, len]) != 0 {
        return Vec::new();
    }
    let item = |i: i32| {
        let mut value = 0i32;
        let [at, len] = name.room();
        let done = interface.call("PMPI_T_enum_get_item", &[enumeration, i as u64, &raw mut value as u64, at, len]);
        (done == 0).then(|| (value, name.text()))
    };
    (0..count).filter_map(item).collect()
}
