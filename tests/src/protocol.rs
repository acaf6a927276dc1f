//! Reads the tables of `--format protocol`, and holds their numbers against the JSON report.

use anyhow::{Context as _, Result, ensure};
use regex::Regex;
use serde_json::Value;
use std::collections::BTreeMap;

/// A table: its heads and rows, and the last words before it.
#[derive(Debug)]
struct Table {
    title: String,
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn column(&self, head: &str) -> Result<usize> {
        self.heads.iter().position(|h| h == head).with_context(|| format!("no column {head} in {self:?}"))
    }

    fn number(&self, row: &[String], head: &str) -> Result<u64> {
        let cell = &row[self.column(head)?];
        cell.parse().with_context(|| format!("{head} is `{cell}`"))
    }
}

fn tables(text: &str) -> Vec<Table> {
    let lines: Vec<&str> = text.lines().collect();
    let cells = |line: &str| line.split('|').map(|c| c.trim().to_owned()).collect::<Vec<_>>();
    let mut tables = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let is_rule = line.len() > 2 && line.bytes().all(|b| b == b'-' || b == b'+') && line.contains('+');
        if !is_rule || i == 0 {
            continue;
        }
        let title = lines[..i - 1].iter().rev().find(|l| !l.is_empty() && !l.starts_with('='));
        let mut rows: Vec<Vec<String>> = Vec::new();
        for row in lines[i + 1..].iter().take_while(|l| l.contains('|')).map(|l| cells(l)) {
            match rows.last_mut() {
                // A list that goes on.
                Some(last) if row[1..].iter().all(String::is_empty) => last[0] = format!("{} {}", last[0], row[0]),
                _ => rows.push(row),
            }
        }
        let title = title.map(|t| t.trim_end_matches(':').to_owned()).unwrap_or_default();
        tables.push(Table { title, heads: cells(lines[i - 1]), rows });
    }
    tables
}

/// `0-3, 5`
fn ranks(list: &str) -> Result<Vec<i64>> {
    let list: trace_format::ranks::Ranks = list.replace(' ', "").parse().map_err(|e| anyhow::anyhow!("{list}: {e}"))?;
    Ok(list.iter().map(i64::from).collect())
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(u64::MAX)
}

/// Fails unless the numbers of a protocol are those of the JSON report of the same trace.
pub fn agrees(protocol: &str, json: &str) -> Result<()> {
    let json: Value = serde_json::from_str(json)?;
    let tables = tables(protocol);
    let one = |heads: &[&str]| {
        tables
            .iter()
            .filter(|t| t.heads.iter().map(String::as_str).take(heads.len()).eq(heads.iter().copied()))
            .collect::<Vec<_>>()
    };
    let task = &json["task"];
    let ended = task["ended"].as_array().context("ended")?;
    let findings = json["findings"].as_array().context("findings")?;

    let [state] = one(&["Nproc"])[..] else { anyhow::bail!("no task state") };
    let row = &state.rows[0];
    let ends =
        |ends: &[&str]| ended.iter().filter(|e| ends.contains(&e["end"].as_str().unwrap_or_default())).count() as u64;
    for (head, expected) in [
        ("Nproc", ended.len() as u64),
        ("abend", ends(&["abend"])),
        ("abort", ends(&["abort", "stopped"])),
        ("normal", ends(&["normal"])),
        ("unknown", ends(&["unknown", "missing", "running"])),
        ("Nerr", number(&task["errors"])),
        ("Nwarn", number(&task["warnings"])),
    ] {
        ensure!(state.number(row, head)? == expected, "{head}: {row:?}, not {expected}");
    }

    let mut kinds: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for f in findings {
        let kind = kinds.entry(f["check"].as_str().unwrap_or_default().to_owned()).or_default();
        *kind = (kind.0 + 1, kind.1 + number(&f["count"]));
    }
    let mut told = BTreeMap::new();
    for table in one(&["N", "error code"]) {
        for row in &table.rows {
            let name = row[table.column("error name")?].clone();
            told.insert(name, (table.number(row, "Nerr")?, table.number(row, "Ntimes")?));
        }
    }
    ensure!(told == kinds, "errors: {told:?}, not {kinds:?}");

    let mut processes = BTreeMap::new();
    let (mut sends, mut recvs) = (0, 0);
    for table in one(&["Proc", "Term"]) {
        for row in &table.rows {
            let get = |head| table.number(row, head);
            let who = ranks(&row[0])?;
            sends += get("NPsend")? * who.len() as u64;
            recvs += get("NPrecv")? * who.len() as u64;
            let unfinished = get("NPsend")? + get("NPrecv")? + get("NPgop")?;
            for rank in who {
                let numbers = [get("Nsend")?, get("Nrecv")?, get("Ngop")?, unfinished, get("Nerr")?, get("Nwarn")?];
                ensure!(processes.insert(rank, numbers).is_none(), "{rank} twice");
            }
        }
    }
    let about = |rank: i64, severity: &str| {
        let is =
            |f: &&Value| f["severity"] == severity && f["ranks"].as_array().is_some_and(|r| r.contains(&rank.into()));
        findings.iter().filter(is).count() as u64
    };
    for e in ended {
        let rank = e["rank"].as_i64().context("rank")?;
        let counts = ["sends", "recvs", "collectives", "unfinished"].map(|key| number(&e[key]));
        let [a, b, c, d] = counts;
        let expected = [a, b, c, d, about(rank, "error"), about(rank, "warning")];
        ensure!(
            processes.get(&rank) == Some(&expected),
            "process {rank}: {:?}, not {expected:?}",
            processes.get(&rank)
        );
    }
    ensure!(processes.len() == ended.len(), "{processes:?}");
    ensure!(state.number(row, "NPsend")? == sends && state.number(row, "NPrecv")? == recvs, "{sends} {recvs} {row:?}");

    let [whole] = one(&["N", "function", "calls", "Nproc"])[..] else { anyhow::bail!("no table of all calls") };
    let mut of_all = BTreeMap::new();
    for row in &whole.rows {
        of_all.insert(row[1].clone(), whole.number(row, "calls")?);
    }
    let calls: u64 = ended.iter().map(|e| number(&e["calls"])).sum();
    ensure!(of_all.remove("all") == Some(calls), "{of_all:?}, not {calls} calls");
    let mut of_each: BTreeMap<String, u64> = BTreeMap::new();
    for table in one(&["N", "function", "calls", "seconds"]) {
        let n = if table.title.starts_with("Each of ") {
            table.title.split(' ').nth(2).and_then(|n| n.parse().ok()).context("how many")?
        } else {
            1
        };
        for row in &table.rows {
            *of_each.entry(row[1].clone()).or_default() += n * table.number(row, "calls")?;
        }
    }
    ensure!(of_each == of_all, "{of_each:?}, not {of_all:?}");

    let count = |checks: [&str; 2]| {
        findings.iter().filter(|f| checks.contains(&f["check"].as_str().unwrap_or_default())).count()
    };
    let parts: Vec<&str> = protocol.split("deadlocks and hang-ups\n=").collect();
    let [_, real, potential] = parts[..] else { anyhow::bail!("{} parts", parts.len()) };
    let potential = potential.split("\nCalls of MPI functions\n").next().unwrap_or_default();
    let numbered = Regex::new(r"(?m)^(Error|Warning) \d+$")?;
    ensure!(numbered.find_iter(real).count() == count(["real-deadlock", "real-hang-up"]), "{real}");
    ensure!(numbered.find_iter(potential).count() == count(["potential-deadlock", "potential-hang-up"]), "{potential}");
    Ok(())
}
