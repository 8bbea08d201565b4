//! Record of a crash: the step that the process ran, so that the next process sets it aside instead of crashing
//! again. A process that is killed from outside leaves no record, and its steps are simply run again.

use anyhow::{Context, Result};
use platform::App;
use rustix::{
    fd::OwnedFd,
    fs::{Mode, OFlags},
};
use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};
use uuid::Uuid;

/// Size of an entry of the file in bytes: the id of a step, nil for a crash outside a step.
const ENTRY: usize = 16;

fn file(data_dir: &Path) -> PathBuf {
    data_dir.join("crashed-steps")
}

/// Makes this process record its running step when it aborts. A stack overflow also ends in an abort.
pub fn watch(data_dir: &Path) -> Result<()> {
    let path = file(data_dir);
    fs::create_dir_all(data_dir)
        .with_context(|| format!("the data folder {} cannot be created", data_dir.display()))?;
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::CLOEXEC;
    let file = rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    on_abort(file).context("the handler of crashes cannot be installed")
}

#[expect(unsafe_code, reason = "a signal handler")]
fn on_abort(file: OwnedFd) -> std::io::Result<()> {
    let write_down = move || {
        let step = workflow::running_step().unwrap_or_default();
        // An error cannot be handled: the process ends.
        let _ = rustix::io::write(&file, step.as_bytes());
    };
    // SAFETY: the handler reads a value of its own thread and makes one system call; it neither allocates nor locks.
    unsafe { signal_hook_registry::register(rustix::process::Signal::ABORT.as_raw(), write_down) }.map(|_| ())
}

/// Sets aside the steps that crashed earlier processes.
pub async fn set_steps_aside(app: &App) -> Result<()> {
    let path = file(&app.config.data_dir);
    let entries = match fs::read(&path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).with_context(|| format!("{} cannot be read", path.display())),
    };
    for entry in entries.chunks_exact(ENTRY) {
        let step = Uuid::from_slice(entry)?;
        if step.is_nil() {
            tracing::error!("an earlier process crashed outside of any step");
        } else if workflow::set_aside(app.store.db(), app.clock.now(), step).await? {
            tracing::error!(%step, "an earlier process crashed while it ran this step, which is set aside");
        }
    }
    // This process writes to the same file if it crashes.
    fs::write(&path, []).with_context(|| format!("{} cannot be written", path.display()))
}
