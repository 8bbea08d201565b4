//! Flushes to disk shared by concurrent callers: a virtual disk manages about 170 a second, and a busy listener needs
//! more.

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

/// Whether a whole file system can be flushed at once (Linux). Elsewhere each file is flushed as it is written.
pub const CAN_FLUSH_GROUPS: bool = cfg!(target_os = "linux");

type Flush = dyn Fn() -> io::Result<()> + Send + Sync;

pub struct Flusher {
    flush: Arc<Flush>,
    asked: AtomicU64,
    /// Callers up to this number have been flushed; locked during a flush.
    served: Mutex<u64>,
}

impl Flusher {
    /// Flushes the file system of a folder. The folder is kept open, since the kernel reports a failed write-back
    /// to files that were open at the time.
    pub fn of_folder(folder: &Path) -> io::Result<Self> {
        let folder = File::open(folder)?;
        Ok(Self::new(move || flush_file_system(&folder)))
    }

    /// Flushes with a call that returns once everything written before it is on disk.
    pub fn new(flush: impl Fn() -> io::Result<()> + Send + Sync + 'static) -> Self {
        Self { flush: Arc::new(flush), asked: AtomicU64::new(0), served: Mutex::new(0) }
    }

    /// Returns after a flush that began after this call.
    pub async fn flush(&self) -> io::Result<()> {
        let turn = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        let mut served = self.served.lock().await;
        if *served >= turn {
            return Ok(());
        }
        let everybody_by_now = self.asked.load(Ordering::SeqCst);
        let flush = self.flush.clone();
        tokio::task::spawn_blocking(move || flush()).await.map_err(io::Error::other)??;
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

#[cfg(test)]
mod tests {
    use super::*;
    use futures::{FutureExt, future::join_all, poll};
    use std::sync::mpsc;

    #[tokio::test]
    async fn callers_that_come_during_a_flush_share_the_next_one() {
        let (allow, allowed) = mpsc::channel();
        let allowed = std::sync::Mutex::new(allowed);
        let flushes = Arc::new(AtomicU64::new(0));
        let count = flushes.clone();
        let flusher = Flusher::new(move || {
            allowed.lock().unwrap().recv().unwrap();
            count.fetch_add(1, Ordering::SeqCst);
            Ok(())
        });
        let mut first = flusher.flush().boxed();
        assert!(poll!(&mut first).is_pending());
        let mut others: Vec<_> = (0..50).map(|_| flusher.flush().boxed()).collect();
        for other in &mut others {
            assert!(poll!(other).is_pending());
        }
        allow.send(()).unwrap();
        first.await.unwrap();
        assert_eq!(flushes.load(Ordering::SeqCst), 1);
        allow.send(()).unwrap();
        for result in join_all(others).await {
            result.unwrap();
        }
        assert_eq!(flushes.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn a_failed_flush_serves_nobody() {
        let answers = std::sync::Mutex::new(vec![Ok(()), Err(io::Error::other("disk"))]);
        let flusher = Flusher::new(move || answers.lock().unwrap().pop().unwrap());
        let (first, second) = futures::join!(flusher.flush(), flusher.flush());
        assert!(first.is_err());
        second.unwrap();
    }
}
