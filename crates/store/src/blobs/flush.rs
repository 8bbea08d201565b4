//! One flush to disk for all who wait: a virtual disk manages some 170 flushes a second, a busy listener
//! finishes more blobs than that.

use std::{
    fs::File,
    io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::sync::Mutex;

/// Linux flushes a whole file system at once. Elsewhere each file is flushed as it is written.
pub const CAN_FLUSH_GROUPS: bool = cfg!(target_os = "linux");

pub struct Flusher {
    /// Kept open, since the kernel reports a failed write-back to files that were open at the time.
    folder: Arc<File>,
    asked: AtomicU64,
    /// Everybody up to this number is served; locked while a flush runs.
    served: Mutex<u64>,
}

impl Flusher {
    pub fn new(folder: &Path) -> io::Result<Self> {
        Ok(Self { folder: Arc::new(File::open(folder)?), asked: AtomicU64::new(0), served: Mutex::new(0) })
    }

    /// Returns after a flush that began after this call.
    pub async fn flush(&self) -> io::Result<()> {
        let turn = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        let mut served = self.served.lock().await;
        if *served >= turn {
            return Ok(());
        }
        let everybody_by_now = self.asked.load(Ordering::SeqCst);
        let folder = self.folder.clone();
        tokio::task::spawn_blocking(move || flush_file_system(&folder)).await.map_err(io::Error::other)??;
        *served = everybody_by_now;
        Ok(())
    }
}

#[cfg(target_os = "linux")]
fn flush_file_system(folder: &File) -> io::Result<()> {
    Ok(rustix::fs::syncfs(folder)?)
}

#[cfg(not(target_os = "linux"))]
fn flush_file_system(_: &File) -> io::Result<()> {
    Ok(())
}
