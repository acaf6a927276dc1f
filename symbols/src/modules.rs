//! The modules that a process had loaded, and where they lie in its memory. A job may have thousands of processes with the same
//! modules, each at other addresses.

use std::collections::HashMap;
use std::rc::Rc;
use trace_format::definition::Module;
use trace_format::run::discovery::Frame;

/// A file that is loaded as a module.
#[derive(Debug, PartialEq)]
struct File {
    path: String,
    build_id: Vec<u8>,
}

/// The files of the modules of several processes, each of them once.
#[derive(Debug, Default)]
pub struct Files {
    /// By path: a file may have been built anew between the starts of two processes.
    files: HashMap<String, Vec<Rc<File>>>,
}

impl Files {
    fn of(&mut self, module: &Module) -> Rc<File> {
        let Module { path, build_id, .. } = module;
        let known = self.files.get(path.as_str()).and_then(|files| files.iter().find(|f| f.build_id == *build_id));
        if let Some(file) = known {
            return Rc::clone(file);
        }
        let file = Rc::new(File { path: path.clone(), build_id: build_id.clone() });
        self.files.entry(path.clone()).or_default().push(Rc::clone(&file));
        file
    }
}

/// A module in the memory of one process.
#[derive(Debug, PartialEq)]
pub struct Loaded {
    start: u64,
    end: u64,
    bias: u64,
    file: Rc<File>,
}

impl Loaded {
    /// Does it hold this address?
    pub fn holds(&self, address: u64) -> bool {
        (self.start..self.end).contains(&address)
    }

    /// The number to subtract from an address to get the address in the file (the load bias).
    pub fn bias(&self) -> u64 {
        self.bias
    }

    /// The instruction, or the variable, at an address that it holds.
    pub fn frame(&self, address: u64) -> Frame {
        let File { path, build_id } = &*self.file;
        Frame { module: path.clone(), build_id: build_id.clone(), offset: address.wrapping_sub(self.bias) }
    }
}

/// The modules that one process had loaded, in the order in which they came: where one was unloaded, another may lie later.
#[derive(Debug, Default)]
pub struct Modules(Vec<Loaded>);

impl Modules {
    /// The process has loaded `module`, from `start` to before `end` in its memory. Nothing happens if it came just before.
    pub fn add(&mut self, module: &Module, files: &mut Files) {
        let Module { start, end, bias, .. } = *module;
        let loaded = Loaded { start, end, bias, file: files.of(module) };
        if self.0.last() != Some(&loaded) {
            self.0.push(loaded);
        }
    }

    /// The number of modules so far: [`Modules::of_then`] looks back to it.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The module that holds `address` now.
    pub fn of(&self, address: u64) -> Option<&Loaded> {
        self.of_then(address, self.0.len())
    }

    /// The module that held `address` when `count` modules had come.
    pub fn of_then(&self, address: u64, count: usize) -> Option<&Loaded> {
        let holds = |m: &&Loaded| m.holds(address);
        let (then, later) = self.0.split_at(count.min(self.0.len()));
        // A stack may be defined while another thread still defines the modules that came with it.
        then.iter().rev().find(holds).or_else(|| later.iter().find(holds))
    }

    /// The instruction at `address`, in the module that held it then, if there was one.
    pub fn frame_then(&self, address: u64, count: usize) -> Frame {
        match self.of_then(address, count) {
            Some(module) => module.frame(address),
            None => Frame::at(None, address),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(path: &str) -> Module {
        Module { start: 16, end: 32, bias: 16, path: path.into(), build_id: vec![] }
    }

    #[test]
    fn an_address_belongs_to_what_lay_there_then() {
        let (mut modules, mut files) = (Modules::default(), Files::default());
        let path = |frame: Frame| frame.module;
        modules.add(&module("a"), &mut files);
        modules.add(&module("a"), &mut files);
        let first = modules.count();
        modules.add(&Module { start: 64, end: 65, ..module("other") }, &mut files);
        modules.add(&module("b"), &mut files);
        modules.add(&module("a"), &mut files);
        assert_eq!((first, modules.count()), (1, 4));
        assert_eq!([1, 2, 3, 4, 9].map(|n| path(modules.frame_then(20, n))), ["a", "a", "b", "a", "a"]);
        assert_eq!(path(modules.frame_then(64, 1)), "other");
        assert_eq!((modules.of(32), modules.frame_then(32, 9)), (None, Frame::at(None, 32)));
    }

    #[test]
    fn processes_share_a_file_but_not_another_build_of_it() {
        let mut files = Files::default();
        let mut modules = [0, 1, 2].map(|_| Modules::default());
        for (modules, build) in modules.iter_mut().zip([1, 1, 2]) {
            modules.add(&Module { build_id: vec![build], ..module("a") }, &mut files);
        }
        let [one, same, other] = modules.each_ref().map(|m| m.of(20).unwrap());
        assert!(Rc::ptr_eq(&one.file, &same.file) && !Rc::ptr_eq(&one.file, &other.file));
        assert_eq!(other.frame(20), Frame { module: "a".into(), build_id: vec![2], offset: 4 });
    }
}
