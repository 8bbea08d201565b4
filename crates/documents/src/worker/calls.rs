//! Restricts the system calls of a worker with seccomp. All other calls fail as if the kernel did not have
//! them.

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};
use std::collections::BTreeMap;
use std::env::consts::ARCH;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Calls for memory, time, threads, the three pipes, and the end of the process.
const COMPUTING: &[libc::c_long] = &[
    libc::SYS_brk,
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_close,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_fcntl,
    libc::SYS_fstat,
    libc::SYS_futex,
    libc::SYS_getpid,
    libc::SYS_getrandom,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_lseek,
    libc::SYS_madvise,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_nanosleep,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_sigaltstack,
    libc::SYS_write,
    libc::SYS_writev,
];

/// Calls for opening fonts. Landlock prevents opening anything else.
const READING: &[libc::c_long] =
    &[libc::SYS_getdents64, libc::SYS_newfstatat, libc::SYS_openat, libc::SYS_pread64, libc::SYS_statx];

/// Additional calls of a program such as LibreOffice: threads, further programs, and the files allowed by
/// Landlock.
const PROGRAM: &[libc::c_long] = &[
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_bind,
    libc::SYS_capget,
    libc::SYS_chdir,
    libc::SYS_clone,
    libc::SYS_clone3,
    libc::SYS_close_range,
    libc::SYS_copy_file_range,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_eventfd2,
    libc::SYS_execve,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_fadvise64,
    libc::SYS_fallocate,
    libc::SYS_fchdir,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_fdatasync,
    libc::SYS_flock,
    libc::SYS_fstatfs,
    libc::SYS_fsync,
    libc::SYS_ftruncate,
    libc::SYS_getcwd,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getgroups,
    libc::SYS_getpgid,
    libc::SYS_getppid,
    libc::SYS_getpriority,
    libc::SYS_getresgid,
    libc::SYS_getresuid,
    libc::SYS_getrusage,
    libc::SYS_getsid,
    libc::SYS_getsockname,
    libc::SYS_getsockopt,
    libc::SYS_getuid,
    libc::SYS_inotify_add_watch,
    libc::SYS_inotify_init1,
    libc::SYS_inotify_rm_watch,
    libc::SYS_ioctl,
    libc::SYS_linkat,
    libc::SYS_listen,
    libc::SYS_membarrier,
    libc::SYS_memfd_create,
    libc::SYS_mincore,
    libc::SYS_mkdirat,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_msync,
    libc::SYS_pipe2,
    libc::SYS_ppoll,
    libc::SYS_prctl,
    libc::SYS_preadv,
    libc::SYS_prlimit64,
    libc::SYS_pselect6,
    libc::SYS_pwrite64,
    libc::SYS_pwritev,
    libc::SYS_readlinkat,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setscheduler,
    libc::SYS_sendfile,
    libc::SYS_sendmsg,
    libc::SYS_sendto,
    libc::SYS_set_tid_address,
    libc::SYS_setitimer,
    libc::SYS_setsockopt,
    libc::SYS_shutdown,
    libc::SYS_statfs,
    libc::SYS_symlinkat,
    libc::SYS_sysinfo,
    libc::SYS_tgkill,
    libc::SYS_timerfd_create,
    libc::SYS_timerfd_settime,
    libc::SYS_times,
    libc::SYS_umask,
    libc::SYS_uname,
    libc::SYS_unlinkat,
    libc::SYS_utimensat,
    libc::SYS_wait4,
    libc::SYS_waitid,
];

/// Older versions of these calls, which only this architecture has.
#[cfg(target_arch = "x86_64")]
const PROGRAM_OLDER: &[libc::c_long] = &[
    libc::SYS_access,
    libc::SYS_alarm,
    libc::SYS_arch_prctl,
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_dup2,
    libc::SYS_epoll_wait,
    libc::SYS_fork,
    libc::SYS_getpgrp,
    libc::SYS_getrlimit,
    libc::SYS_link,
    libc::SYS_lstat,
    libc::SYS_mkdir,
    libc::SYS_open,
    libc::SYS_pipe,
    libc::SYS_poll,
    libc::SYS_readlink,
    libc::SYS_rename,
    libc::SYS_rmdir,
    libc::SYS_select,
    libc::SYS_stat,
    libc::SYS_symlink,
    libc::SYS_time,
    libc::SYS_unlink,
    libc::SYS_utimes,
    libc::SYS_vfork,
];
#[cfg(not(target_arch = "x86_64"))]
const PROGRAM_OLDER: &[libc::c_long] = &[];

/// Keeps only the calls for reading a document; with `fonts`, also those that open files.
pub(super) fn leave_all_but_reading(fonts: bool) -> bool {
    // Threads then start with the older `clone`, whose flags a filter can read, unlike those of `clone3`.
    install(reading(fonts), libc::ENOSYS)
}

/// Keeps only the calls of a program such as LibreOffice. It may open local sockets, but not connect them.
pub(super) fn leave_all_but_program() -> bool {
    install(program(), libc::EPERM)
}

fn reading(fonts: bool) -> Result<Rules, BackendError> {
    let threads = libc::CLONE_VM | libc::CLONE_THREAD | libc::CLONE_SIGHAND;
    let protection = 2;
    let not_executable = || masked(protection, libc::PROT_EXEC as u64, 0);
    let mut rules = kept(&[COMPUTING, if fonts { READING } else { &[] }]);
    rules.insert(libc::SYS_clone, vec![masked(0, threads as u64, threads as u64)?]);
    rules.insert(libc::SYS_mmap, vec![not_executable()?]);
    rules.insert(libc::SYS_mprotect, vec![not_executable()?]);
    // An aborting process may send a signal to itself only.
    rules.insert(libc::SYS_tgkill, vec![equal(0, std::process::id().into())?]);
    Ok(rules)
}

fn program() -> Result<Rules, BackendError> {
    let mut rules = kept(&[COMPUTING, READING, PROGRAM, PROGRAM_OLDER]);
    for call in [libc::SYS_socket, libc::SYS_socketpair] {
        rules.insert(call, vec![equal(0, libc::AF_UNIX as u64)?]);
    }
    Ok(rules)
}

fn kept(lists: &[&[libc::c_long]]) -> Rules {
    lists.iter().flat_map(|list| list.iter()).map(|call| (*call, Vec::new())).collect()
}

fn equal(argument: u8, value: u64) -> Result<SeccompRule, BackendError> {
    rule(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

fn masked(argument: u8, mask: u64, value: u64) -> Result<SeccompRule, BackendError> {
    rule(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(mask), value)
}

fn rule(
    argument: u8,
    length: SeccompCmpArgLen,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, length, operator, value)?])
}

/// Permanently blocks all other calls. A call of a foreign architecture, whose numbers have other meanings,
/// ends the process.
fn install(rules: Result<Rules, BackendError>, answer: libc::c_int) -> bool {
    let compiled = || -> Result<BpfProgram, BackendError> {
        let refused = SeccompAction::Errno(answer as u32);
        SeccompFilter::new(rules?, refused, SeccompAction::Allow, ARCH.try_into()?)?.try_into()
    };
    compiled().is_ok_and(|filter| apply_filter(&filter).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reads_documents_neither_opens_sockets_nor_starts_programs_nor_watches_others() {
        let rules = reading(true).unwrap();
        let others = [
            libc::SYS_socket,
            libc::SYS_connect,
            libc::SYS_execve,
            libc::SYS_execveat,
            libc::SYS_kill,
            libc::SYS_clone3,
            libc::SYS_ptrace,
            libc::SYS_process_vm_readv,
            libc::SYS_io_uring_setup,
            libc::SYS_bpf,
            libc::SYS_mount,
            libc::SYS_unlinkat,
            libc::SYS_prctl,
        ];
        assert!(others.iter().all(|call| !rules.contains_key(call)));
        assert!(!reading(false).unwrap().contains_key(&libc::SYS_openat));
        let program = program().unwrap();
        let others =
            [libc::SYS_connect, libc::SYS_ptrace, libc::SYS_kill, libc::SYS_io_uring_setup, libc::SYS_mount];
        assert!(others.iter().all(|call| !program.contains_key(call)));
    }
}
