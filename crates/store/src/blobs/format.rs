//! The sealed form of a blob.
//!
//! A header of 9 bytes (version, 8 random bytes), then chunks of 64 KiB, each sealed by AES-256-GCM and followed by
//! its tag of 16 bytes; the last chunk is shorter, and empty for an empty blob. The nonce is the random prefix and
//! the number of the chunk. Blob, organization, chunk number and last-chunk flag are authenticated with each chunk,
//! so a changed, moved, missing or added chunk is detected, and so is a swapped blob. The key is derived for each
//! write (see [`DataKey::blob_key`]).

use super::BlobError;
use crate::keys::{DataKey, TAG, open_in_place, seal_in_place};
use aws_lc_rs::{aead::LessSafeKey, rand};
use sea_orm::entity::prelude::Uuid;

const VERSION: u8 = 1;
pub const HEADER: usize = 9;
/// Bytes of content in a chunk.
pub const CHUNK: usize = 64 * 1024;
/// Bytes of a full chunk as stored.
pub const SEALED_CHUNK: usize = CHUNK + TAG;

/// Seals or opens the chunks of one blob, in order.
pub struct Chunks {
    key: LessSafeKey,
    header: [u8; HEADER],
    place: [u8; 32],
    number: u32,
}

impl Chunks {
    /// For a blob about to be written.
    pub fn begin(key: &DataKey, organization_id: Uuid, blob_id: Uuid) -> Self {
        let mut header = [VERSION; HEADER];
        rand::fill(&mut header[1..]).expect("the machine gives random bytes");
        Self::new(key, organization_id, blob_id, header)
    }

    /// For a stored blob with this header.
    pub fn resume(
        key: &DataKey,
        organization_id: Uuid,
        blob_id: Uuid,
        header: [u8; HEADER],
    ) -> Result<Self, BlobError> {
        if header[0] != VERSION {
            return Err(BlobError::Tampered);
        }
        Ok(Self::new(key, organization_id, blob_id, header))
    }

    pub fn header(&self) -> [u8; HEADER] {
        self.header
    }

    /// The next chunk as stored.
    pub fn seal(&mut self, content: &[u8], last: bool) -> Result<Vec<u8>, BlobError> {
        let mut sealed = Vec::with_capacity(content.len() + TAG);
        sealed.extend_from_slice(content);
        let tag = seal_in_place(&self.key, self.nonce(), &self.aad(last), &mut sealed);
        sealed.extend_from_slice(&tag);
        self.advance().map_err(|()| BlobError::TooLarge { limit: (CHUNK as u64) << 32 })?;
        Ok(sealed)
    }

    /// The content of the next chunk.
    pub fn open(&mut self, sealed: &[u8], last: bool) -> Result<Vec<u8>, BlobError> {
        let mut content = sealed.to_vec();
        let opened = open_in_place(&self.key, self.nonce(), &self.aad(last), &mut content);
        self.advance().map_err(|()| BlobError::Tampered)?;
        opened.map(|()| content).map_err(|_| BlobError::Tampered)
    }

    fn new(key: &DataKey, organization_id: Uuid, blob_id: Uuid, header: [u8; HEADER]) -> Self {
        let mut place = [0; 32];
        place[..16].copy_from_slice(blob_id.as_bytes());
        place[16..].copy_from_slice(organization_id.as_bytes());
        Self { key: key.blob_key(organization_id, blob_id, &header), header, place, number: 0 }
    }

    fn advance(&mut self) -> Result<(), ()> {
        self.number = self.number.checked_add(1).ok_or(())?;
        Ok(())
    }

    fn nonce(&self) -> [u8; 12] {
        let mut nonce = [0; 12];
        nonce[..8].copy_from_slice(&self.header[1..]);
        nonce[8..].copy_from_slice(&self.number.to_be_bytes());
        nonce
    }

    fn aad(&self, last: bool) -> [u8; 37] {
        let mut aad = [0; 37];
        aad[..32].copy_from_slice(&self.place);
        aad[32..36].copy_from_slice(&self.number.to_be_bytes());
        aad[36] = last.into();
        aad
    }
}
