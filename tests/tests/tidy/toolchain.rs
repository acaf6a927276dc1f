//! The compiler that CI builds with is the oldest one that the crates declare, so that each build is one by it.

use super::{files, text};
use anyhow::{Context as _, Result, ensure};
use regex::Regex;

/// The text behind this key in a file of TOML.
fn value(path: &str, keys: &[&str]) -> Result<String> {
    let toml: toml::Value = toml::from_str(&text(path)?)?;
    let found = keys.iter().try_fold(&toml, |value, key| value.get(key));
    Ok(found.and_then(toml::Value::as_str).with_context(|| format!("{path}: {}", keys.join(".")))?.to_owned())
}

fn declared() -> Result<String> {
    value("Cargo.toml", &["workspace", "package", "rust-version"])
}

#[test]
fn the_oldest_compiler_is_the_one_that_builds() -> Result<()> {
    let channel = value("rust-toolchain.toml", &["toolchain", "channel"])?;
    ensure!(channel == format!("{}.0", declared()?), "rust-toolchain.toml has {channel}");
    Ok(())
}

#[test]
fn each_crate_declares_the_oldest_compiler() -> Result<()> {
    let workspace: toml::Value = toml::from_str(&text("Cargo.toml")?)?;
    let members = workspace["workspace"]["members"].as_array().context("members")?;
    for member in members.iter().filter_map(toml::Value::as_str) {
        let manifest = text(&format!("{member}/Cargo.toml"))?;
        ensure!(manifest.contains("\nrust-version.workspace = true\n"), "{member} declares no rust-version");
    }
    Ok(())
}

/// Documents for users name this version of Rust.
#[test]
fn documents_name_the_oldest_compiler() -> Result<()> {
    let declared = declared()?;
    let version = Regex::new(r"\b1\.\d{2}\b")?;
    let mut named = Vec::new();
    for path in files("md")?.into_iter().chain(["scripts/install-deps".to_owned()]) {
        for line in text(&path)?.lines().filter(|line| line.contains("Rust")) {
            named.extend(version.find_iter(line).map(|found| (path.clone(), found.as_str().to_owned())));
        }
    }
    for place in ["README.md", "scripts/install-deps"] {
        ensure!(named.iter().any(|(path, _)| path == place), "{place} names no version of Rust");
    }
    named.retain(|(_, version)| *version != declared);
    ensure!(named.is_empty(), "{named:?} are not {declared}");
    Ok(())
}
