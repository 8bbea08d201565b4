//! Writes one blob, a few chunks in memory at a time.

use super::{
    BlobError, BlobStore, Written,
    format::{CHUNK, Chunks},
    path_of,
};
use crate::keys::DataKey;
use aws_lc_rs::digest::{Context, SHA256};
use bytes::{Bytes, BytesMut};
use object_store::buffered::BufWriter;
use sea_orm::entity::prelude::Uuid;
use std::sync::{Arc, atomic::Ordering};
use tokio::{io::AsyncWriteExt, runtime::Handle};

/// A finished blob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobInfo {
    pub id: Uuid,
    /// Bytes of content.
    pub size: u64,
    /// SHA-256 of the content.
    pub sha256: [u8; 32],
}

/// A blob being written. Dropping it before [`BlobWriter::finish`] leaves nothing behind.
pub struct BlobWriter {
    id: Uuid,
    chunks: Chunks,
    pending: BytesMut,
    /// None once it is being finished.
    out: Option<BufWriter>,
    begun: bool,
    /// A part failed or was cancelled: the blob can only be dropped.
    broken: bool,
    size: u64,
    digest: Context,
    written: Arc<Written>,
}

impl BlobWriter {
    pub(super) fn new(store: &BlobStore, key: &DataKey, organization_id: Uuid, blob_id: Uuid) -> Self {
        let path = path_of(organization_id, blob_id);
        let out = BufWriter::with_capacity(store.objects.clone(), path, store.buffering.part)
            .with_max_concurrency(store.buffering.parts);
        Self {
            id: blob_id,
            chunks: Chunks::begin(key, organization_id, blob_id),
            pending: BytesMut::new(),
            out: Some(out),
            begun: false,
            broken: false,
            size: 0,
            digest: Context::new(&SHA256),
            written: store.written.clone(),
        }
    }

    /// Appends content; waits while earlier parts are being written.
    pub async fn write(&mut self, bytes: Bytes) -> Result<(), BlobError> {
        self.size += bytes.len() as u64;
        self.digest.update(&bytes);
        for piece in bytes.chunks(CHUNK) {
            // A full chunk is kept back until more content shows that it is not the last.
            if self.pending.len() + piece.len() > CHUNK {
                let rest = CHUNK - self.pending.len();
                self.pending.extend_from_slice(&piece[..rest]);
                self.store_pending(false).await?;
                self.pending.extend_from_slice(&piece[rest..]);
            } else {
                self.pending.extend_from_slice(piece);
            }
        }
        Ok(())
    }

    /// Finishes the blob, which can be read afterwards.
    pub async fn finish(mut self) -> Result<BlobInfo, BlobError> {
        self.store_pending(true).await?;
        let mut out = self.out.take().expect("present until the blob is finished");
        out.shutdown().await.map_err(|e| BlobError::of(&e))?;
        self.written.finished.fetch_add(1, Ordering::SeqCst);
        let digest = std::mem::replace(&mut self.digest, Context::new(&SHA256)).finish();
        let sha256 = digest.as_ref().try_into().expect("as long as the hash");
        Ok(BlobInfo { id: self.id, size: self.size, sha256 })
    }

    async fn store_pending(&mut self, last: bool) -> Result<(), BlobError> {
        if std::mem::replace(&mut self.broken, true) {
            return Err(BlobError::Storage("an earlier part of the blob could not be written".into()));
        }
        let sealed = self.chunks.seal(&self.pending, last)?;
        self.pending.clear();
        let out = self.out.as_mut().expect("present until the blob is finished");
        if !std::mem::replace(&mut self.begun, true) {
            out.put(Bytes::copy_from_slice(&self.chunks.header())).await?;
        }
        out.put(sealed.into()).await?;
        self.broken = false;
        Ok(())
    }
}

impl Drop for BlobWriter {
    fn drop(&mut self) {
        let Some(mut out) = self.out.take() else { return };
        // Parts in an object store are removed by a request; in a folder dropping is enough.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                if let Err(error) = out.abort().await {
                    tracing::warn!(%error, "parts of an abandoned blob remain in the blob store");
                }
            });
        }
    }
}
