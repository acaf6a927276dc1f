//! Reads all variables of the library, for `job.json`.

use super::interface::Interface;
use super::value::{Datatypes, Handle, words};
use crate::mpi::abi::tool;
use crate::mpi::library::MpiLibrary;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::time::Instant;
use trace_format::variables::{Control, Performance, Variables};

/// Settings of transports below the library begin with these.
const TRANSPORTS: [&str; 5] = ["UCX_", "FI_", "I_MPI_", "PSM2_", "PSM3_"];

/// All variables; where that takes long, those of what MPI_Init has opened. `None`: the library has no tool interface. `values`:
/// their values can be read. `was_used`: the interface was used before MPI started.
pub(crate) fn variables(library: &'static MpiLibrary, values: bool, was_used: bool) -> Option<Variables> {
    let start = Instant::now();
    let look = if was_used { None } else { Interface::look(library) };
    let interface = look.or_else(|| Interface::open(library, false))?;
    let environment = std::env::vars_os().map(|(name, _)| name).collect();
    let reader = Reader { library, interface: &interface, datatypes: Datatypes::of(library), values, environment };
    let categories = reader.categories();
    let controls = interface.number("PMPI_T_cvar_get_num");
    let performances = interface.number("PMPI_T_pvar_get_num");
    let control = (0..controls).filter_map(|i| reader.control(i, &categories)).collect();
    let performance = (0..performances).filter_map(|i| reader.performance(i, &categories)).collect();
    drop(interface);
    let text = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
    let below = std::env::vars_os().filter_map(text).filter(|(name, _)| TRANSPORTS.iter().any(|t| name.starts_with(t)));
    Some(Variables {
        controls,
        performances,
        control,
        performance,
        categories: categories.named,
        environment: below.collect(),
        wishes: Vec::new(),
        microseconds: start.elapsed().as_micros() as u64,
    })
}

/// The categories of a library, by what is in them.
#[derive(Default)]
struct Categories {
    /// Descriptions by name.
    named: BTreeMap<String, String>,
    of_control: FxHashMap<i32, Vec<String>>,
    of_performance: FxHashMap<i32, Vec<String>>,
}

struct Reader<'a> {
    library: &'a MpiLibrary,
    interface: &'a Interface,
    datatypes: Datatypes,
    values: bool,
    /// Names of the variables of the environment.
    environment: FxHashSet<OsString>,
}

impl Reader<'_> {
    fn categories(&self) -> Categories {
        let mut all = Categories::default();
        for index in 0..self.interface.number("PMPI_T_category_get_num") {
            let mut texts = self.interface.texts.borrow_mut();
            let ((name, description), mut counts) = (&mut *texts, [0i32; 3]);
            let [name_at, name_len] = name.room();
            let [text_at, text_len] = description.room();
            let [controls, performances, below] = counts.each_mut().map(|count| std::ptr::from_mut(count) as u64);
            let args = [index as u64, name_at, name_len, text_at, text_len, controls, performances, below];
            if self.interface.call("PMPI_T_category_get_info", &args) != 0 {
                continue;
            }
            let name = name.text();
            for control in self.members("PMPI_T_category_get_cvars", index, counts[0]) {
                all.of_control.entry(control).or_default().push(name.clone());
            }
            for performance in self.members("PMPI_T_category_get_pvars", index, counts[1]) {
                all.of_performance.entry(performance).or_default().push(name.clone());
            }
            if counts[0] + counts[1] > 0 {
                all.named.insert(name, description.text());
            }
        }
        all
    }

    /// Indices of the variables in a category.
    fn members(&self, function: &'static str, category: i32, count: i32) -> Vec<i32> {
        let mut members = vec![-1i32; count.max(0) as usize];
        let done = self.interface.call(function, &[category as u64, members.len() as u64, members.as_mut_ptr() as u64]);
        if done == 0 { members } else { Vec::new() }
    }

    /// `None`: it does not exist any more.
    fn control(&self, index: i32, categories: &Categories) -> Option<Control> {
        let tool = self.library.abi().tool;
        let info = ControlInfo::ask(self.interface, index)?;
        let binding = tool.binding(info.binding);
        let datatype = self.datatypes.find(self.library, info.datatype);
        let values = words(self.interface, info.enumeration);
        let value = datatype.filter(|_| self.values && binding == tool::NO_OBJECT).and_then(|(_, layout)| {
            let handle = Handle::new(self.interface, index).ok()?;
            Some(layout.text(&handle.read(layout)?))
        });
        let number = value.as_deref().map(|v| match v {
            "true" => Some(1),
            "false" => Some(0),
            _ => v.parse::<i32>().ok(),
        });
        let environment = tool.environment(&info.name).find(|name| self.environment.contains(OsStr::new(name)));
        let value_name = values.iter().find(|(n, _)| number == Some(Some(*n))).map(|(_, word)| word.clone());
        Some(Control {
            index,
            environment,
            value_name: value_name.filter(|word| Some(word) != value.as_ref()),
            value,
            datatype: datatype.map(|d| d.0.to_owned()).unwrap_or_default(),
            values,
            scope: tool.scope(info.scope),
            binding,
            verbosity: tool.verbosity(info.verbosity),
            categories: categories.of_control.get(&index).cloned().unwrap_or_default(),
            description: info.description,
            name: info.name,
        })
    }

    fn performance(&self, index: i32, categories: &Categories) -> Option<Performance> {
        let tool = self.library.abi().tool;
        let info = PerformanceInfo::ask(self.interface, index)?;
        Some(Performance {
            index,
            class: tool.class(info.class),
            datatype: self.datatypes.find(self.library, info.datatype).map(|d| d.0.to_owned()).unwrap_or_default(),
            binding: tool.binding(info.binding),
            verbosity: tool.verbosity(info.verbosity),
            readonly: info.readonly,
            continuous: info.continuous,
            categories: categories.of_performance.get(&index).cloned().unwrap_or_default(),
            description: info.description,
            name: info.name,
        })
    }
}

/// The answer of MPI_T_cvar_get_info, in the library's numbers.
pub(crate) struct ControlInfo {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) verbosity: i32,
    pub(crate) datatype: u64,
    pub(crate) enumeration: u64,
    pub(crate) binding: i32,
    pub(crate) scope: i32,
}

impl ControlInfo {
    pub(crate) fn ask(interface: &Interface, index: i32) -> Option<ControlInfo> {
        let mut texts = interface.texts.borrow_mut();
        let (name, description) = &mut *texts;
        let (mut verbosity, mut binding, mut scope) = (0i32, 0i32, 0i32);
        let (mut datatype, mut enumeration) = (0u64, 0u64);
        let [name_at, name_len] = name.room();
        let [text_at, text_len] = description.room();
        let done = interface.call(
            "PMPI_T_cvar_get_info",
            &[
                index as u64,
                name_at,
                name_len,
                &raw mut verbosity as u64,
                &raw mut datatype as u64,
                &raw mut enumeration as u64,
                text_at,
                text_len,
                &raw mut binding as u64,
                &raw mut scope as u64,
            ],
        );
        let (name, description) = (name.text(), description.text());
        (done == 0).then_some(ControlInfo { name, description, verbosity, datatype, enumeration, binding, scope })
    }
}

/// The answer of MPI_T_pvar_get_info, in the library's numbers.
pub(crate) struct PerformanceInfo {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) verbosity: i32,
    pub(crate) class: i32,
    pub(crate) datatype: u64,
    pub(crate) binding: i32,
    pub(crate) readonly: bool,
    pub(crate) continuous: bool,
}

impl PerformanceInfo {
    pub(crate) fn ask(interface: &Interface, index: i32) -> Option<PerformanceInfo> {
        let mut texts = interface.texts.borrow_mut();
        let (name, description) = &mut *texts;
        let (mut verbosity, mut class, mut binding) = (0i32, 0i32, 0i32);
        let (mut readonly, mut continuous, mut atomic) = (0i32, 0i32, 0i32);
        let (mut datatype, mut enumeration) = (0u64, 0u64);
        let [name_at, name_len] = name.room();
        let [text_at, text_len] = description.room();
        let done = interface.call(
            "PMPI_T_pvar_get_info",
            &[
                index as u64,
                name_at,
                name_len,
                &raw mut verbosity as u64,
                &raw mut class as u64,
                &raw mut datatype as u64,
                &raw mut enumeration as u64,
                text_at,
                text_len,
                &raw mut binding as u64,
                &raw mut readonly as u64,
                &raw mut continuous as u64,
                &raw mut atomic as u64,
            ],
        );
        let (readonly, continuous) = (readonly != 0, continuous != 0);
        let (name, description) = (name.text(), description.text());
        let info = PerformanceInfo { name, description, verbosity, class, datatype, binding, readonly, continuous };
        (done == 0).then_some(info)
    }
}
