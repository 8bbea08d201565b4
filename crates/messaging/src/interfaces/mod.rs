//! Documents from other systems: HL7 v2 over MLLP, ITI-41 and XDR. Permitted messages are stored unchanged before they
//! are acknowledged; a workflow turns them into Intake messages.

pub mod assertions;
pub mod connections;
pub mod folder;
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

/// Maximum size of a message, in bytes, that is parsed on the same thread.
const SMALL: usize = 64 << 10;

/// Whether a message could be forwarded with these files.
fn fit(files: &[File]) -> bool {
    let sizes = || files.iter().map(|file| file.content.len() as u64);
    sizes().all(|size| size <= FILE_LIMIT) && sizes().sum::<u64>() <= MESSAGE_LIMIT.unsigned_abs()
}

/// A hash of separate parts.
fn hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    URL_SAFE_NO_PAD.encode(hash.finalize())
}

/// Parses input of this size; large input on a blocking thread.
async fn reading<T: Send + 'static>(size: usize, read: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    if size <= SMALL {
        return Ok(read());
    }
    tokio::task::spawn_blocking(read).await.map_err(Error::internal)
}
