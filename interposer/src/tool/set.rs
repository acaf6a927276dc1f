//! `--cvar` and `--stress`: sets control variables before MPI_Init, through the tool interface where the library lets it, by
//! the environment where that is the documented way (Open MPI's variables of scope READONLY).

use super::interface::Interface;
use super::read::ControlInfo;
use super::value::{Datatypes, Handle, Layout, words};
use crate::job::config::Config;
use crate::mpi::abi::tool;
use crate::mpi::library::{self, MpiLibrary};
use std::ffi::CString;
use trace_format::mpi::predefined::error_class_name;
use trace_format::settings::suggestions::did_you_mean;
use trace_format::variables::{Wish, pairs, stress};

/// The variables that were set before MPI_Init, and the reference that keeps them: a library may forget what was set when nobody
/// uses its interface any more.
#[derive(Default)]
pub(crate) struct Settings {
    pub(crate) wishes: Vec<Wish>,
    /// Held until MPI has started.
    _kept: Option<Interface>,
    /// The values of variables can be read afterwards.
    pub(crate) values: bool,
    /// The interface was in use when MPI started.
    pub(crate) was_used: bool,
}

impl Settings {
    /// MPI has started with these settings: the reference is given back. What came of each wish.
    pub(crate) fn took_effect(self) -> Vec<Wish> {
        self.wishes
    }
}

/// Do two texts say the same value?
fn same(a: &str, b: &str) -> bool {
    let plain = |text: &str| match text {
        "true" => "1".to_owned(),
        "false" => "0".to_owned(),
        text => text.to_owned(),
    };
    plain(a) == plain(b)
}

/// Called before MPI_Init.
pub(crate) fn apply(config: &Config) -> Settings {
    let wanted = config.cvars.as_deref().unwrap_or_default();
    library::resolve_once();
    let Some(library) = library::loaded() else { return Settings::default() };
    // MPI_Init unloads components.
    let is_used = library.abi().tool.keeps_unloaded_variables && Interface::is_in_use(library);
    let values = !is_used;
    if wanted.is_empty() && !config.stress {
        return Settings { values, was_used: is_used, ..Settings::default() };
    }
    let mut wishes: Vec<Wish> = Vec::new();
    if config.stress {
        wishes.extend(stresses());
    }
    for (name, value) in pairs(wanted) {
        // The user's word goes before what stress would do.
        wishes.retain(|w| w.name != name || !w.by_stress);
        wishes.push(Wish { name: name.to_owned(), value: value.to_owned(), ..Wish::default() });
    }
    let kept = set(library, &mut wishes);
    Settings { wishes, _kept: kept, values, was_used: true }
}

fn stresses() -> Vec<Wish> {
    let identity = library::identity();
    let all = stress(&identity.library, &identity.device);
    if all.is_empty() {
        let why = "it is not known which settings make this library buffer less".to_owned();
        let wish = Wish { name: "eager limits".into(), value: "least".into(), by_stress: true, ..Wish::default() };
        return vec![Wish { refused: Some(why), ..wish }];
    }
    let wish = |s: &trace_format::variables::Stress| Wish {
        name: s.name.to_owned(),
        value: s.value.to_owned(),
        by_stress: true,
        by_environment: s.is_environment.then(|| s.name.to_owned()),
        refused: None,
    };
    all.iter().map(wish).collect()
}

/// Sets what can be set, under a reference that stays until MPI has started.
fn set(library: &'static MpiLibrary, wishes: &mut [Wish]) -> Option<Interface> {
    // Libraries read the environment when the interface is first used. So it says there what some libraries may take from nowhere
    // else, before it is known which variables these are; what turns out to be wrong is taken back.
    let before: Vec<Option<(String, Option<String>)>> = wishes.iter().map(|wish| early(library, wish)).collect();
    let Some(interface) = Interface::open(library, false) else {
        let no_interface = "the library has no tool interface".to_owned();
        wishes.iter_mut().filter(|w| w.by_environment.is_none()).for_each(|w| w.refused = Some(no_interface.clone()));
        return None;
    };
    let setter = Setter { library, datatypes: Datatypes::of(library), interface };
    for wish in wishes.iter_mut().filter(|w| w.by_environment.is_none() && w.refused.is_none()) {
        wish.refused = setter.set(wish).err();
    }
    for (wish, before) in wishes.iter().zip(before) {
        if let Some((variable, before)) = before.filter(|_| wish.refused.is_some() || wish.by_environment.is_none()) {
            put(&variable, before.as_deref());
        }
    }
    Some(setter.interface)
}

/// The environment variable that sets a control variable, where that is a way.
fn setting(library: &MpiLibrary, name: &str) -> Option<String> {
    let tool = library.abi().tool;
    tool.environment(name).next().filter(|_| tool.is_set_by_environment)
}

/// Puts a wish into the environment; the variable and what it was before.
fn early(library: &MpiLibrary, wish: &Wish) -> Option<(String, Option<String>)> {
    let variable =
        wish.by_environment.clone().or_else(|| setting(library, &wish.name)).filter(|_| wish.refused.is_none())?;
    let before = std::env::var(&variable).ok();
    put(&variable, Some(&wish.value));
    Some((variable, before))
}

/// Changes the environment of this process, for its MPI library.
fn put(name: &str, value: Option<&str>) {
    let (Ok(name), Ok(value)) = (CString::new(name), value.map(CString::new).transpose()) else { return };
    // SAFETY: the strings live long enough; MPI is being started, which no other thread of the program may do at the same
    // time as it uses the environment.
    unsafe {
        match value {
            Some(value) => libc::setenv(name.as_ptr(), value.as_ptr(), 1),
            None => libc::unsetenv(name.as_ptr()),
        }
    };
}

struct Setter {
    library: &'static MpiLibrary,
    datatypes: Datatypes,
    interface: Interface,
}

impl Setter {
    /// Fulfils a wish by MPI_T, or finds that the environment has done it. An error says why neither.
    fn set(&self, wish: &mut Wish) -> Result<(), String> {
        let tool = self.library.abi().tool;
        let index = index_of(&self.interface, &wish.name).ok_or_else(|| self.unknown(&wish.name))?;
        let info = ControlInfo::ask(&self.interface, index).ok_or_else(|| self.unknown(&wish.name))?;
        if tool.binding(info.binding) != tool::NO_OBJECT {
            return Err("it belongs to single objects, of which there are none before MPI_Init".into());
        }
        let known = self.datatypes.find(self.library, info.datatype);
        let (datatype, layout) = known.ok_or("its datatype is none that variables may have")?;
        let words = words(&self.interface, info.enumeration);
        let handle = Handle::new(&self.interface, index)
            .map_err(|class| format!("the library gives no handle for it ({})", class_name(self.library, class)))?;
        let room = handle.count.max(1024);
        let bytes = parse(layout, &words, &wish.value, room).map_err(|expected| {
            format!("`{}` is no value of this variable of type {datatype}, which takes {expected}", wish.value)
        })?;
        let scope = tool.scope(info.scope);
        let why = if scope != tool::CONSTANT && scope != tool::READONLY {
            match handle.write(&bytes) {
                0 => return Ok(()),
                class => format!("the library refuses it with {}", class_name(self.library, class)),
            }
        } else {
            format!("its scope is MPI_T_SCOPE_{}: it cannot be changed", scope.to_uppercase())
        };
        // The library may have it from the environment already.
        let took = handle.read(layout).map(|bytes| layout.text(&bytes));
        let has = took.is_some_and(|value| same(&value, &layout.text(&bytes)));
        wish.by_environment = setting(self.library, &wish.name).filter(|_| has);
        if wish.by_environment.is_some() { Ok(()) } else { Err(why) }
    }

    fn unknown(&self, name: &str) -> String {
        let count = self.interface.number("PMPI_T_cvar_get_num");
        let names: Vec<String> =
            (0..count).filter_map(|i| ControlInfo::ask(&self.interface, i)).map(|info| info.name).collect();
        let near = did_you_mean(name, names.iter().map(String::as_str)).map(|near| format!("; {near}"));
        format!("the library has no control variable of this name{}", near.unwrap_or_default())
    }
}

/// The bytes of a value, which may be a word of an enumeration.
fn parse(layout: Layout, words: &[(i32, String)], value: &str, room: usize) -> Result<Vec<u8>, String> {
    if let Some((number, _)) = words.iter().find(|(_, word)| word == value) {
        let text = if layout == Layout::Bool { (*number != 0).to_string() } else { number.to_string() };
        return layout.parse(&text, room).map_err(str::to_owned);
    }
    layout.parse(value, room).map_err(|expected| match words {
        [] => expected.to_owned(),
        _ => words.iter().map(|(number, word)| format!("{number} ({word})")).collect::<Vec<_>>().join(", "),
    })
}

/// Index of the control variable of this name.
fn index_of(interface: &Interface, name: &str) -> Option<i32> {
    let c_name = CString::new(name).ok()?;
    let mut index = -1i32;
    let done = interface.call("PMPI_T_cvar_get_index", &[c_name.as_ptr() as u64, &raw mut index as u64]);
    (done == 0 && index >= 0).then_some(index)
}

fn class_name(library: &MpiLibrary, class: i32) -> String {
    error_class_name(library.abi().error_class(class)).to_owned()
}
