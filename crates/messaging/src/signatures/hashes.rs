//! Hashes of documents.

use crate::files::kind_of;
use documents::Kind;
use sha2::{Digest, Sha256};
use store::entities::attachment;
use uuid::Uuid;

/// The PDF as which a signer sees a document that is no PDF itself.
pub fn shown_as(file: &attachment::Model) -> Option<Uuid> {
    file.pdf_blob_id.filter(|_| kind_of(file) != Kind::Pdf)
}

/// Identifies the present documents of a message: their bytes, how they are shown, and their order.
pub fn fingerprint(files: &[attachment::Model]) -> String {
    let mut hash = Sha256::new();
    for file in files {
        hash.update(file.id);
        hash.update(file.blob_id);
        hash.update(shown_as(file).unwrap_or_default());
    }
    hex(&hash.finalize())
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
