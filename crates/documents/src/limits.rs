//! Limits of a job, and of the programs that it starts.
#![allow(unsafe_code)] // alarms and signals between fork and exec have no safe interface in the standard library

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

/// Limits of one job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Elapsed time.
    pub wall: Duration,
    /// Processor time, in whole seconds, at least one.
    pub cpu: Duration,
    /// Address space in bytes.
    pub memory: u64,
    /// Maximum size of the file, in bytes.
    pub input: u64,
    /// Maximum size of the result, in bytes.
    pub output: u64,
}

impl Default for Limits {
    /// 30 seconds of processor time, 1 GiB of memory, 96 MiB input, 192 MiB output. Elapsed time is four
    /// times the processor time, because a busy machine says nothing about the document.
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(120),
            cpu: Duration::from_secs(30),
            memory: 1 << 30,
            input: 96 << 20,
            output: 192 << 20,
        }
    }
}

/// Ends a program with this process, and after this many seconds. A child process inherits neither.
pub(crate) fn end_with_us(command: &mut Command, seconds: u64) {
    let seconds = u32::try_from(seconds).unwrap_or(u32::MAX);
    // SAFETY: both calls take plain numbers and are allowed between fork and exec.
    unsafe {
        command.pre_exec(move || {
            libc::alarm(seconds);
            match libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            }
        });
    }
}
