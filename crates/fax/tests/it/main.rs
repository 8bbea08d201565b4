//! Faxes over each kind of line.
#![allow(unsafe_code)] // code before `main` can only be asked for with an unsafe attribute

mod efax;
mod embedded;
mod hylafax;
mod lines;
mod pages;
mod support;
mod web;
mod westfax;

use std::process::ExitCode;

/// The argument with which this program draws a document, as the server does.
const CONVERT: &str = "convert";

#[ctor::ctor(unsafe)]
fn convert_when_asked() {
    if std::env::args().nth(1).as_deref() == Some(CONVERT) {
        let code = documents::worker::main();
        std::process::exit(i32::from(code != ExitCode::SUCCESS));
    }
}
