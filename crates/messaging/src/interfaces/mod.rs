//! Documents that systems of others bring: HL7 v2 over MLLP, ITI-41 and XDR. What a connection may send is kept as it came
//! before it is acknowledged; a workflow makes a message of the Intake of it.

pub mod assertions;
pub mod connections;
pub mod mllp;
pub mod open;
pub mod reception;
pub mod refusals;
pub mod xdr;

use crate::{attachments::queries::MESSAGE_LIMIT, files::FILE_LIMIT};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use exchange::receive::File;
pub use exchange::receive::listener;
use platform::{Error, Result};
use sha2::{Digest, Sha256};

/// Bytes of a message that are read without leaving the thread.
const SMALL: usize = 64 << 10;

/// Whether a message could be forwarded with these files.
fn fit(files: &[File]) -> bool {
    let sizes = || files.iter().map(|file| file.content.len() as u64);
    sizes().all(|size| size <= FILE_LIMIT) && sizes().sum::<u64>() <= MESSAGE_LIMIT.unsigned_abs()
}

/// A hash of parts, each of which counts for itself.
fn hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    URL_SAFE_NO_PAD.encode(hash.finalize())
}

/// Reads something of this size; a large one on a thread that may be busy.
async fn reading<T: Send + 'static>(size: usize, read: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    if size <= SMALL {
        return Ok(read());
    }
    tokio::task::spawn_blocking(read).await.map_err(Error::internal)
}
