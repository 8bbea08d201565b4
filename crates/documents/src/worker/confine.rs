//! How the worker gives up its rights.
#![allow(unsafe_code)] // resource limits, namespaces and seccomp have no safe interface in the standard library

use landlock::{
    ABI, Access, AccessFs, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus,
    path_beneath_rules,
};

use super::Confinement;
use super::protocol::Request;
use crate::typeset::system;

/// Files that the worker may have open: its three pipes and a few for the C library.
const OPEN_FILES: u64 = 16;

/// Confines the calling process for good. What the kernel refuses is reported, not fatal: containers often forbid
/// new namespaces while allowing filters.
pub(super) fn confine(request: &Request) -> Confinement {
    // SAFETY: alarm takes a plain number; the default action ends a process whose caller vanished.
    unsafe { libc::alarm(u32::try_from(request.wall_seconds).unwrap_or(u32::MAX)) };
    let network_namespace = leave_network();
    let limits = limit(libc::RLIMIT_AS, request.memory)
        && limit(libc::RLIMIT_CPU, request.cpu_seconds)
        && limit(libc::RLIMIT_FSIZE, 0)
        && limit(libc::RLIMIT_NOFILE, OPEN_FILES)
        // A core file would hold the document.
        && limit(libc::RLIMIT_CORE, 0);
    let files = leave_files();
    Confinement { network_namespace, syscall_filter: filter_system_calls(), limits, files }
}

/// Moves into a new user and network namespace, in which there is not even a loopback link.
fn leave_network() -> bool {
    // SAFETY: unshare takes flags only and changes nothing when it fails.
    unsafe { libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNET) == 0 }
}

/// Gives up all files but installed fonts: the program is loaded, and the document comes by a pipe. Without Landlock (Linux
/// 5.13) the worker could read what its user can, the master key too.
fn leave_files() -> bool {
    let restrict = || -> Result<_, RulesetError> {
        Ruleset::default()
            .handle_access(AccessFs::from_all(ABI::V3))?
            .create()?
            .add_rules(path_beneath_rules(system::FOLDERS, AccessFs::ReadFile | AccessFs::ReadDir))?
            .restrict_self()
    };
    restrict().is_ok_and(|status| status.ruleset != RulesetStatus::NotEnforced)
}

fn limit(resource: libc::__rlimit_resource_t, value: u64) -> bool {
    // One second between the soft and the hard limit lets SIGXCPU tell its cause; SIGKILL would not.
    let hard = if resource == libc::RLIMIT_CPU { value + 1 } else { value };
    let limit = libc::rlimit { rlim_cur: value, rlim_max: hard };
    // SAFETY: the pointer is to a live rlimit structure.
    unsafe { libc::setrlimit(resource, &limit) == 0 }
}

/// `AUDIT_ARCH_*` of linux/audit.h; system call numbers differ between architectures.
#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;

/// System calls that no conversion needs and every break-out does.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const DENIED: [libc::c_long; 12] = [
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_io_uring_setup,
    libc::SYS_mount,
    libc::SYS_bpf,
    libc::SYS_keyctl,
];

/// Installs a seccomp filter that answers [`DENIED`] calls with EPERM and kills on a foreign architecture.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn filter_system_calls() -> bool {
    let load = |offset| instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, offset);
    let answer = |value| instruction(libc::BPF_RET | libc::BPF_K, 0, 0, value);
    let equal = |value, yes, no| instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, yes, no, value);
    // struct seccomp_data: the number is at offset 0, the architecture at 4.
    let mut program =
        vec![load(4), equal(ARCHITECTURE, 1, 0), answer(libc::SECCOMP_RET_KILL_PROCESS), load(0)];
    // Numbers from 0x40000000 are the x32 variants of the same calls.
    program.push(instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, 0x4000_0000));
    program.push(answer(libc::SECCOMP_RET_KILL_PROCESS));
    for call in DENIED {
        program.push(equal(call as u32, 0, 1));
        program.push(answer(libc::SECCOMP_RET_ERRNO | libc::EPERM as u32));
    }
    program.push(answer(libc::SECCOMP_RET_ALLOW));
    let filter = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    // SAFETY: the program outlives both calls, its length is right, and the kernel copies it.
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const filter) == 0
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn instruction(code: u32, jt: u8, jf: u8, k: u32) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt, jf, k }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn filter_system_calls() -> bool {
    false
}
