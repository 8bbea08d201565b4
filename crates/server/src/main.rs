//! `carepost`: the command line.

mod memory;

use std::process::ExitCode;

fn main() -> ExitCode {
    // The converter confines itself, which works only while the process has no threads.
    if std::env::args().nth(1).as_deref() == Some(server::node::CONVERT) {
        return documents::worker::main();
    }
    memory::set_up();
    server::commands::main()
}
