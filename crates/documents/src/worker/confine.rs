//! Confines the worker process.
#![allow(unsafe_code)] // resource limits, alarms and namespaces have no safe interface in the standard library

use landlock::{
    ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus,
    Scope, path_beneath_rules,
};

use std::path::Path;

use super::protocol::Request;
use super::{Confinement, Job, calls};
use crate::office;
use crate::typeset::system;

/// Maximum number of open files of the worker: its three pipes and a few for the C library.
const OPEN_FILES: u64 = 16;

/// Maximum number of open files of LibreOffice.
const OFFICE_OPEN_FILES: u64 = 512;

/// Permanently confines the calling process. Refusals of the kernel are reported, not fatal: containers often
/// forbid new namespaces but allow filters.
pub(super) fn confine(request: &Request) -> Confinement {
    // SAFETY: alarm takes a plain number. Its default action ends a process whose caller is gone.
    unsafe { libc::alarm(u32::try_from(request.wall_seconds).unwrap_or(u32::MAX)) };
    let network_namespace = leave_network();
    let folder = request.folder.as_deref().filter(|_| matches!(request.job, Job::Office | Job::Ocr { .. }));
    let (file_size, open_files) = match folder {
        Some(_) => (office::LIMITS.output, OFFICE_OPEN_FILES),
        None => (0, OPEN_FILES),
    };
    let limits = limit(libc::RLIMIT_AS, request.memory)
        && limit(libc::RLIMIT_CPU, request.cpu_seconds)
        && limit(libc::RLIMIT_FSIZE, file_size)
        && limit(libc::RLIMIT_NOFILE, open_files)
        // A core dump would contain the document.
        && limit(libc::RLIMIT_CORE, 0);
    let (landlock, syscall_filter) = match folder {
        Some(folder) => (leave_files_but(folder), calls::leave_all_but_program()),
        None => {
            let landlock = leave_files();
            (landlock, calls::leave_all_but_reading(landlock))
        }
    };
    // Without Landlock, the filter blocks opening any file.
    let files = landlock || (syscall_filter && folder.is_none());
    Confinement { network_namespace, syscall_filter, limits, files }
}

/// Moves into a new user and network namespace, which does not even have a loopback link.
fn leave_network() -> bool {
    // SAFETY: unshare takes flags only and changes nothing when it fails.
    unsafe { libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNET) == 0 }
}

/// Blocks all files except installed fonts: the program is already loaded, and the document comes through a
/// pipe. Newer kernels also block ports, and signals to other processes.
fn leave_files() -> bool {
    let restrict = || -> Result<_, RulesetError> {
        Ruleset::default()
            .handle_access(AccessFs::from_all(ABI::V3))?
            .handle_access(AccessNet::from_all(ABI::V4))?
            .scope(Scope::from_all(ABI::V6))?
            .create()?
            .add_rules(path_beneath_rules(system::FOLDERS, AccessFs::ReadFile | AccessFs::ReadDir))?
            .restrict_self()
    };
    restrict().is_ok_and(|status| status.ruleset != RulesetStatus::NotEnforced)
}

/// As [`leave_files`], for LibreOffice and Tesseract: each can read its own program and settings, and write
/// to one folder.
fn leave_files_but(folder: &Path) -> bool {
    let abi = ABI::V3;
    let everything = AccessFs::from_all(abi);
    let reading = AccessFs::from_read(abi);
    let writing = AccessFs::ReadFile | AccessFs::WriteFile;
    let restrict = || -> Result<_, RulesetError> {
        Ruleset::default()
            .handle_access(everything)?
            .handle_access(AccessNet::from_all(ABI::V4))?
            .scope(Scope::from_all(ABI::V6))?
            .create()?
            .add_rules(path_beneath_rules(office::READABLE, reading))?
            .add_rules(path_beneath_rules(office::WRITABLE, writing))?
            .add_rules(path_beneath_rules(office::SOCKETS, AccessFs::MakeSock | AccessFs::RemoveFile))?
            .add_rules(path_beneath_rules([folder], everything & !AccessFs::Execute))?
            .restrict_self()
    };
    restrict().is_ok_and(|status| status.ruleset != RulesetStatus::NotEnforced)
}

fn limit(resource: libc::__rlimit_resource_t, value: u64) -> bool {
    // One second between the soft and the hard limit: SIGXCPU shows the cause, SIGKILL would not.
    let hard = if resource == libc::RLIMIT_CPU { value + 1 } else { value };
    let limit = libc::rlimit { rlim_cur: value, rlim_max: hard };
    // SAFETY: the pointer is to a live rlimit structure.
    unsafe { libc::setrlimit(resource, &limit) == 0 }
}
