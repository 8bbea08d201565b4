//! The worker of this crate as a program, for tests of the process boundary. Without an argument it serves a
//! job. An argument names a misbehaviour that it attempts once it is confined.

#![allow(unsafe_code)] // what a hostile document would do has no safe interface

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
        Some("start-process") => documents::worker::main_after(start_process),
        Some("signal-parent") => documents::worker::main_after(signal_parent),
        Some("run-own-code") => documents::worker::main_after(run_own_code),
        Some("watch-parent") => documents::worker::main_after(watch_parent),
        Some("work-in-threads") => documents::worker::main_after(work_in_threads),
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

/// This and each of the following functions exits with 42 if the attempt is blocked as it should be.
fn write_file() {
    let path = std::env::temp_dir().join(format!("documents-worker-{}", std::process::id()));
    let written = std::fs::write(&path, b"x");
    _ = std::fs::remove_file(&path);
    std::process::exit(if written.is_err() { 42 } else { 1 });
}

fn read_file() {
    let given = std::env::args().nth(2).unwrap_or_default();
    let mut read = ["/etc/passwd", "/proc/self/environ", &given].map(std::fs::read).into_iter();
    std::process::exit(if read.all(|read| read.is_err()) { 42 } else { 1 });
}

fn open_socket() {
    let opened = std::net::UdpSocket::bind("127.0.0.1:0");
    std::process::exit(if opened.is_err() { 42 } else { 1 });
}

fn start_program() {
    let started = std::process::Command::new("/bin/true").status();
    std::process::exit(if started.is_err() { 42 } else { 1 });
}

fn start_process() {
    // SAFETY: a child would only exit.
    let child = unsafe { libc::fork() };
    std::process::exit(if child < 0 { 42 } else { 1 });
}

fn signal_parent() {
    // SAFETY: signal 0 only tests whether a signal could be sent.
    let sent = unsafe { libc::kill(libc::getppid(), 0) };
    std::process::exit(if sent < 0 { 42 } else { 1 });
}

fn watch_parent() {
    let mut bytes = [0u8; 8];
    let here = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    // SAFETY: both ranges are valid; the call reads from the parent or fails.
    let read = unsafe { libc::process_vm_readv(libc::getppid(), &raw const here, 1, &raw const here, 1, 0) };
    std::process::exit(if read < 0 { 42 } else { 1 });
}

fn run_own_code() {
    let (all, private) =
        (libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping does not affect existing memory.
    let mapped = unsafe { libc::mmap(std::ptr::null_mut(), 4096, all, private, -1, 0) };
    std::process::exit(if mapped == libc::MAP_FAILED { 42 } else { 1 });
}

/// No misbehaviour: picture decoders use several threads.
fn work_in_threads() {
    let sums: Vec<_> = (0..3u64).map(|n| std::thread::spawn(move || n * 7)).collect();
    let sum: u64 = sums.into_iter().map(|sum| sum.join().unwrap_or_default()).sum();
    std::process::exit(if sum == 21 { 42 } else { 1 });
}

fn show_environment() {
    std::process::exit(if std::env::vars_os().next().is_none() { 42 } else { 1 });
}
