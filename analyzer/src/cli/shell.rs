//! `mpivet completions` and `mpivet man`, made from the command line's definition.

use crate::exit::Exit;
use clap::{Args, Command};
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = "bash: mpivet completions bash > ~/.local/share/bash-completion/completions/mpivet\n\
                        zsh:  mpivet completions zsh > DIR/_mpivet, with DIR in $fpath\n\
                        fish: mpivet completions fish > ~/.config/fish/completions/mpivet.fish")]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "To read it at once: mpivet man | man -l -\n\
                        To install all pages: mpivet man --dir ~/.local/share/man/man1")]
pub(super) struct ManArgs {
    /// The command of the page [default: mpivet itself]
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
    /// Write the pages of all commands into DIR, as mpivet.1, mpivet-run.1 and so on
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    dir: Option<PathBuf>,
}

impl CompletionsArgs {
    /// The script that the shell reads.
    pub(super) fn text(&self) -> Vec<u8> {
        let mut text = Vec::new();
        // The commands that only mpivet itself uses are left out.
        let mut command = Command::new("mpivet").version(env!("CARGO_PKG_VERSION")).disable_help_subcommand(true);
        command = command.args(super::command().get_arguments()).subcommands(commands());
        generate(self.shell, &mut command, "mpivet", &mut text);
        text
    }
}

/// A page of the manual.
struct Page {
    name: String,
    text: Vec<u8>,
}

impl ManArgs {
    /// The page that is wanted; nothing if pages were written instead.
    pub(super) fn text(&self) -> Result<Vec<u8>, Exit> {
        if let Some(dir) = &self.dir {
            return write_all(dir).map(|()| Vec::new());
        }
        let wanted = self.command.as_ref().map_or("mpivet".to_owned(), |command| format!("mpivet-{command}"));
        let page = pages()?.into_iter().find(|page| page.name == wanted);
        page.map(|page| page.text).ok_or_else(|| {
            let names: Vec<String> = commands().map(|command| command.get_name().to_owned()).collect();
            Exit::Usage(format!("there is no command `{}`; there are {}", &wanted["mpivet-".len()..], names.join(", ")))
        })
    }
}

fn write_all(dir: &Path) -> Result<(), Exit> {
    let cannot = |e| Exit::cannot(anyhow::anyhow!("cannot write to {}: {e}", dir.display()));
    std::fs::create_dir_all(dir).map_err(cannot)?;
    for page in pages()? {
        std::fs::write(dir.join(format!("{}.1", page.name)), page.text).map_err(cannot)?;
    }
    Ok(())
}

/// The commands that people use.
fn commands() -> impl Iterator<Item = Command> {
    let all: Vec<Command> = super::command().get_subcommands().filter(|c| !c.is_hide_set()).cloned().collect();
    all.into_iter()
}

fn pages() -> Result<Vec<Page>, Exit> {
    let mut pages = vec![page("mpivet".to_owned(), super::command().disable_help_subcommand(true))?];
    for command in commands() {
        let name = format!("mpivet-{}", command.get_name());
        pages
            .push(page(name.clone(), command.version(env!("CARGO_PKG_VERSION")).bin_name(name.replacen('-', " ", 1)))?);
    }
    Ok(pages)
}

fn page(name: String, command: Command) -> Result<Page, Exit> {
    let mut text = Vec::new();
    let man = Man::new(command.display_name(name.clone())).manual("mpivet");
    man.render(&mut text).map_err(Exit::cannot)?;
    Ok(Page { name, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_with_its_options() {
        let pages = pages().unwrap();
        for command in commands() {
            let page = pages.iter().find(|p| p.name == format!("mpivet-{}", command.get_name())).unwrap();
            let text = String::from_utf8(page.text.clone()).unwrap().replace("\\-", "-");
            for option in command.get_arguments().filter(|a| !a.is_hide_set()).filter_map(|a| a.get_long()) {
                assert!(text.contains(&format!("--{option}")), "{}: --{option}", page.name);
            }
        }
        assert!(!pages.iter().any(|p| p.name == "mpivet-queues-of"));
    }
}
