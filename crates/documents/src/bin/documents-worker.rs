//! The worker of this crate as a program of its own, for tests of the process boundary: without an argument it
//! serves a job, with one it misbehaves in that way once it is confined.

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        None => documents::worker::main(),
        Some("hang") => documents::worker::main_after(|| {
            loop {
                std::thread::park()
            }
        }),
        Some("spin") => documents::worker::main_after(|| {
            loop {
                std::hint::spin_loop()
            }
        }),
        Some("abort") => documents::worker::main_after(|| std::process::abort()),
        Some("exhaust-memory") => documents::worker::main_after(exhaust_memory),
        Some("overflow-stack") => documents::worker::main_after(|| _ = overflow_stack(u64::MAX)),
        Some("babble") => documents::worker::main_after(|| print!("not an answer")),
        Some("flood") => documents::worker::main_after(|| {
            loop {
                print!("{}", "flood".repeat(1000))
            }
        }),
        Some("write-file") => documents::worker::main_after(write_file),
        Some("read-file") => documents::worker::main_after(read_file),
        Some("open-socket") => documents::worker::main_after(open_socket),
        Some("start-program") => documents::worker::main_after(start_program),
        Some("show-environment") => documents::worker::main_after(show_environment),
        Some(other) => panic!("unknown misbehaviour {other}"),
    }
}

fn exhaust_memory() {
    let mut kept = Vec::new();
    loop {
        kept.push(vec![1u8; 16 << 20]);
    }
}

fn overflow_stack(depth: u64) -> u64 {
    let frame = std::hint::black_box([depth; 512]);
    if frame[0] == 0 { 0 } else { overflow_stack(depth - 1) + frame[1] }
}

/// Each of the following exits with 42 when it is stopped as it should be.
fn write_file() {
    let path = std::env::temp_dir().join(format!("documents-worker-{}", std::process::id()));
    let written = std::fs::write(&path, b"x");
    _ = std::fs::remove_file(&path);
    std::process::exit(if written.is_err() { 42 } else { 1 });
}

fn read_file() {
    let read = ["/etc/passwd", "/proc/self/environ"].map(std::fs::read);
    std::process::exit(if read.iter().all(Result::is_err) { 42 } else { 1 });
}

fn open_socket() {
    let opened = std::net::UdpSocket::bind("127.0.0.1:0");
    std::process::exit(if opened.is_err() { 42 } else { 1 });
}

fn start_program() {
    let started = std::process::Command::new("/bin/true").status();
    std::process::exit(if started.is_err() { 42 } else { 1 });
}

fn show_environment() {
    std::process::exit(if std::env::vars_os().next().is_none() { 42 } else { 1 });
}
