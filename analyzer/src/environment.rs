//! `mpivet env`: the settings of the MPI library that a run had, by category; first those that bear on correctness.

use crate::cli::{EnvFormat, EnvPlan};
use crate::exit::{CLEAN, Exit};
use anyhow::{Context as _, anyhow};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use trace_format::run::job::{self, Job};
use trace_format::variables::{Control, Variables, bearing, fits};

pub(crate) fn print(plan: &EnvPlan) -> Result<u8, Exit> {
    let job = job::read(&plan.dir)
        .with_context(|| format!("cannot read the job.json of {}", plan.dir.display()))
        .map_err(Exit::Cannot)?;
    let Some(variables) = &job.variables else {
        let why = anyhow!(
            "the run in {} has not written down the variables of its MPI library: it has no tool interface, or \
             MPIVET_VARIABLES=off was set",
            plan.dir.display()
        );
        return Err(Exit::cannot(why));
    };
    let listing = Listing::new(&job, variables, plan);
    let text = match plan.format {
        EnvFormat::Text => listing.text(),
        EnvFormat::Json => serde_json::to_string_pretty(&listing).map_err(Exit::cannot)? + "\n",
    };
    crate::exit::put(&text)?;
    Ok(CLEAN)
}

/// The variables that are printed.
#[derive(Serialize)]
struct Listing<'a> {
    library: &'a str,
    /// Number of all variables, also of those that are not printed.
    control_variables: i32,
    performance_variables: i32,
    /// Settings of transports below the library, from the environment.
    environment: &'a BTreeMap<String, String>,
    wishes: Vec<String>,
    groups: Vec<Group<'a>>,
}

/// Variables that belong together.
#[derive(Serialize)]
struct Group<'a> {
    name: String,
    /// They bear on correctness: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    variables: Vec<Line<'a>>,
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    control: &'a Control,
    /// The change of its value, as far as it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<String>,
}

/// Categories without a name of the library.
const NO_CATEGORY: &str = "(no category)";

impl<'a> Listing<'a> {
    fn new(job: &'a Job, variables: &'a Variables, plan: &EnvPlan) -> Listing<'a> {
        let mut bearing_groups = BTreeMap::new();
        let mut others: BTreeMap<&str, Vec<Line>> = BTreeMap::new();
        for control in variables.control.iter().filter(|c| is_wanted(c, plan)) {
            let change = variables.change(control, &job.mpi.library).map(|c| c.text());
            if plan.changed && change.is_none() {
                continue;
            }
            let line = Line { control, change };
            if let Some(bearing) = bearing(&control.name) {
                bearing_groups.entry(bearing).or_insert_with(Vec::new).push(line);
            } else {
                let category = control.categories.first().map_or(NO_CATEGORY, String::as_str);
                others.entry(category).or_default().push(line);
            }
        }
        let first = bearing_groups.into_iter().map(|(bearing, variables)| Group {
            name: bearing.topic.to_owned(),
            why: Some(bearing.why),
            description: "",
            variables,
        });
        let described = |name: &str| variables.categories.get(name).map_or("", String::as_str);
        let rest = others.into_iter().map(|(name, variables)| Group {
            name: name.to_owned(),
            why: None,
            description: described(name),
            variables,
        });
        Listing {
            library: &job.mpi.library,
            control_variables: variables.controls,
            performance_variables: variables.performances,
            environment: &variables.environment,
            wishes: variables.wishes.iter().map(|w| w.text()).collect(),
            groups: first.chain(rest).collect(),
        }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        let Listing { library, control_variables, performance_variables, .. } = self;
        let library = library.split(", ").next().unwrap_or_default().replace(":\t", " ");
        _ = writeln!(
            out,
            "{library}: {control_variables} control variables, {performance_variables} performance variables (MPI_T, rank 0)"
        );
        for wish in &self.wishes {
            _ = writeln!(out, "  {wish}");
        }
        for (name, value) in self.environment {
            _ = writeln!(out, "  environment: {name}={value}");
        }
        for group in &self.groups {
            group.write(&mut out);
        }
        if self.groups.is_empty() {
            out.push_str("  no variable fits\n");
        }
        out
    }
}

impl Group<'_> {
    fn write(&self, out: &mut String) {
        let Group { name, why, description, variables } = self;
        let about = why.unwrap_or(description);
        let about = if about.is_empty() { String::new() } else { format!(": {about}") };
        _ = writeln!(out, "\n{}{name}{about}", if why.is_some() { "! " } else { "" });
        for Line { control, change } in variables {
            let Control { name, value, value_name, datatype, scope, description, .. } = control;
            let value = value.as_deref().unwrap_or("?");
            let word = value_name.as_ref().map(|word| format!(" ({word})")).unwrap_or_default();
            let change = change.as_ref().map(|change| format!("  <- {change}")).unwrap_or_default();
            _ = writeln!(out, "  {name} = {value}{word}  [{datatype}, {scope}]{change}");
            if let Some(line) = description.lines().find(|l| !l.trim().is_empty()) {
                _ = writeln!(out, "      {}", line.trim());
            }
        }
    }
}

/// Does it fit `--category` and `--filter`? A topic of ours is a category, too.
fn is_wanted(control: &Control, plan: &EnvPlan) -> bool {
    let in_category = |pattern: &String| {
        let topic = bearing(&control.name).map(|b| b.topic);
        let named = control.categories.iter().map(String::as_str).chain(topic);
        named.chain(control.categories.is_empty().then_some(NO_CATEGORY)).any(|name| fits(pattern, name))
    };
    let has = |text: &String| {
        let text = text.to_lowercase();
        let value = control.value.as_deref().unwrap_or_default();
        [control.name.as_str(), value, &control.description].iter().any(|part| part.to_lowercase().contains(&text))
    };
    plan.category.as_ref().is_none_or(in_category) && plan.filter.as_ref().is_none_or(has)
}
