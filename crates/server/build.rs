//! The web app is embedded from `web/dist`; the folder must exist even if the web app was not built.

use std::{fs, path::Path};

fn main() {
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/dist");
    if let Err(error) = fs::create_dir_all(&dist) {
        println!("cargo::warning=web/dist cannot be created: {error}");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
