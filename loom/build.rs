//! Says to the files of the recorder that are compiled here that they are in a model.

fn main() {
    println!("cargo:rustc-check-cfg=cfg(loom)");
    println!("cargo:rustc-cfg=loom");
    println!("cargo:rerun-if-changed=build.rs");
}
