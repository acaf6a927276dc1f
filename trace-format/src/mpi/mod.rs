//! The MPI functions as data. [`table`] is the only place where a function is written down; everything that
//! depends on it (wrappers, encoding, decoding, printing, classification) is derived from [`FUNCTIONS`].

pub mod kinds;
mod level;
pub mod predefined;
pub mod special;
mod status;
#[macro_use]
pub mod table;

pub use kinds::{Class, Coll, Kind, Many, RmaSync, SendMode, Start};
pub use level::ThreadLevel;
pub use status::Status;

/// Which way a parameter's value travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dir {
    /// Passed by value, or a pointer that MPI only reads.
    In,
    /// A pointer that MPI writes through.
    Out,
    /// A pointer that MPI reads and writes through.
    InOut,
}

/// One parameter of an MPI function.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    /// The standard's name of the parameter.
    pub name: &'static str,
    /// Direction of the value.
    pub dir: Dir,
    /// Meaning of the value, or of each element of an array.
    pub kind: Kind,
    /// Length of an array parameter in the table's notation (`count`, `*outcount`, `comm_size at root`, ...),
    /// or empty for a single value. [`crate::plan::Len`] is its parsed form.
    pub len: &'static str,
}

/// One MPI function: a row of the table.
#[derive(Debug)]
pub struct Function {
    /// Number of the function: its place in [`FUNCTIONS`].
    pub id: FnId,
    /// C name, for example `MPI_Send`.
    pub name: &'static str,
    /// Fortran name without trailing underscores, for example `mpi_send`.
    pub fortran: &'static str,
    /// Parameters in the order of the C binding.
    pub params: &'static [Param],
    /// The return value of the C function.
    pub ret: Kind,
    /// The nature of the function: blocking, starting or completing an operation, collective, ...
    pub class: Class,
}

impl Function {
    /// Position of the parameter called `name`.
    pub fn param(&self, name: &str) -> Option<usize> {
        self.params.iter().position(|p| p.name == name)
    }

    /// May its record stand for several calls of it: polls that found nothing, and questions for the time?
    pub fn may_be_counted(&self) -> bool {
        self.class.is_poll() || self.ret == Kind::Double
    }

    /// Is it an extension of an MPI library? Those have a prefix of their own (MPI 4.1, 2.6).
    pub fn is_extension(&self) -> bool {
        self.name.starts_with("MPIX_")
    }

    /// The function that does the same with counts of type `int`, if this is the one for large counts.
    pub fn with_small_counts(&self) -> Option<&'static Function> {
        self.name.strip_suffix("_c").and_then(FnId::by_name).map(FnId::row)
    }
}

macro_rules! define_functions {
    ($( fn $name:ident / $fortran:ident ( $( $dir:ident $pname:ident : $kind:ident $( [ $($len:tt)* ] )? ),* $(,)? ) -> $ret:ident : $class:expr ; )*) => {
        /// Number of a function in the table. It never changes: see [`Rows`]. [`FnId::row`] has the function's parameters.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum FnId { $(
            #[doc = concat!("`", stringify!($name), "`")]
            $name
        ),* }

        /// Every MPI function, in the table's order; `FUNCTIONS[id as usize].id == id`.
        pub static FUNCTIONS: &[Function] = {
            #[allow(unused_imports)]
            use kinds::{Class::*, Coll::*, Many::*, RmaSync::*, SendMode::*, Start::*};
            &[ $( Function {
                id: FnId::$name,
                name: stringify!($name),
                fortran: stringify!($fortran),
                params: &[ $( Param {
                    name: stringify!($pname),
                    dir: Dir::$dir,
                    kind: Kind::$kind,
                    len: concat!($( stringify!($($len)*) )?),
                } ),* ],
                ret: Kind::$ret,
                class: $class,
            } ),* ]
        };
    };
}
for_each_mpi_function!(define_functions);

impl FnId {
    /// The function with this number, if the table has one.
    pub fn from_index(index: usize) -> Option<FnId> {
        FUNCTIONS.get(index).map(|f| f.id)
    }

    /// Returns the place of the function in [`FUNCTIONS`], the number that records have.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The function's row in the table.
    pub fn row(self) -> &'static Function {
        &FUNCTIONS[self as usize]
    }

    /// Returns the C name of the function, `MPI_Send`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// May every thread call the function at any time, whatever level of thread support MPI was started with? So say
    /// MPI 4.1, 11.4.1 (what is always available) and 11.2.1 (questions about the start of MPI and about threads).
    /// Is it available at any time and to any thread? A function that returns no error code converts a handle or reads a clock.
    pub fn is_always_available(self) -> bool {
        use FnId::*;
        let listed = matches!(
            self,
            MPI_Initialized
                | MPI_Finalized
                | MPI_Query_thread
                | MPI_Is_thread_main
                | MPI_Get_version
                | MPI_Get_library_version
                | MPI_Abi_get_version
                | MPI_Abi_get_info
                | MPI_Abi_get_fortran_info
                | MPI_Abi_get_fortran_booleans
                | MPI_Info_create
                | MPI_Info_create_env
                | MPI_Info_set
                | MPI_Info_delete
                | MPI_Info_get
                | MPI_Info_get_string
                | MPI_Info_get_valuelen
                | MPI_Info_get_nkeys
                | MPI_Info_get_nthkey
                | MPI_Info_dup
                | MPI_Info_free
                | MPI_Session_init
                | MPI_Session_create_errhandler
                | MPI_Session_call_errhandler
                | MPI_Errhandler_free
                | MPI_Error_string
                | MPI_Error_class
                | MPI_Add_error_class
                | MPI_Add_error_code
                | MPI_Add_error_string
                | MPI_Remove_error_class
                | MPI_Remove_error_code
                | MPI_Remove_error_string
                | MPI_Abort
                | MPI_Pcontrol
        );
        listed || self.row().ret != Kind::Code
    }

    /// The function called `name` (`MPI_Send`), or with the prefix left out (`Send`).
    pub fn by_name(name: &str) -> Option<FnId> {
        use std::collections::HashMap;
        use std::sync::OnceLock;
        static NAMES: OnceLock<HashMap<&'static str, FnId>> = OnceLock::new();
        let names = NAMES.get_or_init(|| {
            let mut map = HashMap::new();
            for f in FUNCTIONS {
                map.insert(f.name, f.id);
                if let Some(short) = f.name.strip_prefix("MPI_") {
                    map.entry(short).or_insert(f.id);
                }
            }
            map
        });
        names.get(name).copied()
    }
}

/// The rows that a writer of traces knew. New ones come behind them, so that the numbers of functions stay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Rows {
    /// How many rows there are, counted from the first one of the table.
    pub number: u32,
    /// Fingerprint of their names and parameters in their order: calls are encoded by these.
    pub hash: u64,
}

impl Rows {
    /// All of this table.
    pub fn all() -> Rows {
        static ALL: std::sync::OnceLock<Rows> = std::sync::OnceLock::new();
        *ALL.get_or_init(|| Rows::of(FUNCTIONS.iter()))
    }

    /// Does this table begin with them?
    pub fn are_known(self) -> bool {
        self == Rows::all() || FUNCTIONS.get(..self.number as usize).is_some_and(|rows| Rows::of(rows.iter()) == self)
    }

    fn of(functions: impl ExactSizeIterator<Item = &'static Function>) -> Rows {
        const DIRECTIONS: usize = Dir::InOut as usize + 1;
        let mut text = String::with_capacity(1 << 16);
        let number = functions.len() as u32;
        // There are few, and each process works this out: formatting them anew for each parameter took a millisecond, and to
        // look for them in a list a tenth of that.
        let mut words: Vec<String> = Vec::new();
        for f in functions {
            text.push_str(f.name);
            for p in f.params {
                text.push_str(p.name);
                let place = p.kind as usize * DIRECTIONS + p.dir as usize;
                if words.len() <= place {
                    words.resize(place + 1, String::new());
                }
                if let Some(word) = words.get_mut(place) {
                    if word.is_empty() {
                        *word = format!("{:?}{:?}", p.dir, p.kind);
                    }
                    text.push_str(word);
                }
                text.push_str(p.len);
            }
            text.push('\n');
        }
        Rows { number, hash: xxhash_rust::xxh3::xxh3_64(text.as_bytes()) }
    }
}

#[cfg(test)]
mod rows {
    use super::*;

    #[test]
    fn a_table_that_has_grown_knows_what_was_written_before() {
        let all = Rows::all();
        assert!(all.are_known());
        assert!(Rows::of(FUNCTIONS[..FUNCTIONS.len() - 3].iter()).are_known());
        assert!(!Rows { number: all.number + 1, ..all }.are_known(), "of a newer table");
        assert!(!Rows { hash: all.hash ^ 1, ..all }.are_known(), "of a table with other rows");
        assert!(!Rows::of(FUNCTIONS[..10].iter().rev()).are_known(), "of a table in another order");
    }
}
