//! Reads one blob, a chunk in memory at a time.

use super::{
    BlobError,
    format::{Chunks, HEADER, SEALED_CHUNK},
    path_of,
};
use crate::keys::DataKey;
use bytes::{Bytes, BytesMut};
use futures::{Stream, StreamExt, TryStreamExt, stream, stream::BoxStream};
use object_store::{ObjectStore, ObjectStoreExt};
use sea_orm::entity::prelude::Uuid;
use std::sync::Arc;

pub fn read(
    objects: Arc<dyn ObjectStore>,
    key: DataKey,
    organization_id: Uuid,
    blob_id: Uuid,
) -> impl Stream<Item = Result<Bytes, BlobError>> + Send + 'static {
    stream::once(async move {
        let stored = objects.get(&path_of(organization_id, blob_id)).await?.into_stream();
        let mut source = Source { stored, buffer: BytesMut::new() };
        source.fill(HEADER).await?;
        let header = source.take(HEADER).as_ref().try_into().map_err(|_| BlobError::Tampered)?;
        let chunks = Chunks::resume(&key, organization_id, blob_id, header)?;
        Ok::<_, BlobError>(stream::try_unfold(Some((source, chunks)), next_chunk))
    })
    .try_flatten()
}

async fn next_chunk(
    state: Option<(Source, Chunks)>,
) -> Result<Option<(Bytes, Option<(Source, Chunks)>)>, BlobError> {
    let Some((mut source, mut chunks)) = state else { return Ok(None) };
    // One byte beyond a full chunk shows that another follows.
    let last = !source.fill(SEALED_CHUNK + 1).await?;
    let content = chunks.open(&source.take(SEALED_CHUNK), last)?;
    Ok(Some((content.into(), (!last).then_some((source, chunks)))))
}

/// Bytes as stored, gathered into pieces of the length asked for.
struct Source {
    stored: BoxStream<'static, object_store::Result<Bytes>>,
    buffer: BytesMut,
}

impl Source {
    /// Gathers at least `length` bytes; false when the blob ended before.
    async fn fill(&mut self, length: usize) -> Result<bool, BlobError> {
        while self.buffer.len() < length {
            match self.stored.next().await.transpose()? {
                // A file cut short while it is read yields empty pieces without end.
                None => return Ok(false),
                Some(piece) if piece.is_empty() => return Ok(false),
                Some(piece) => self.buffer.extend_from_slice(&piece),
            }
        }
        Ok(true)
    }

    fn take(&mut self, length: usize) -> BytesMut {
        self.buffer.split_to(length.min(self.buffer.len()))
    }
}
