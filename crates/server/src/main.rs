//! `carepost`: the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    // The converter confines itself, which works only while the process has no threads.
    if std::env::args().nth(1).as_deref() == Some(server::node::CONVERT) {
        return documents::worker::main();
    }
    server::commands::main()
}
