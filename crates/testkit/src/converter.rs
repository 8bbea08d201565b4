//! The product converts hostile files in a child process of its own program. In a test that is the test binary, so it
//! must support the hidden subcommand too, before its `main` and before any thread.
#![allow(unsafe_code)] // code before `main` can only be asked for with an unsafe attribute

use std::process::ExitCode;

#[ctor::ctor(unsafe)]
fn convert_when_asked() {
    if std::env::args().nth(1).as_deref() == Some(server::node::CONVERT) {
        let code = documents::worker::main();
        std::process::exit(i32::from(code != ExitCode::SUCCESS));
    }
}
