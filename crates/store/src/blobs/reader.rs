//! Reads one blob, a chunk in memory at a time.

use super::{
    BlobError,
    format::{Chunks, HEADER, SEALED_CHUNK},
    path_of,
};
use crate::keys::DataKey;
use bytes::{Bytes, BytesMut};
use futures::{Stream, StreamExt, TryStreamExt, stream, stream::BoxStream};
use object_store::{GetResult, GetResultPayload, ObjectStore, ObjectStoreExt};
use sea_orm::entity::prelude::Uuid;
use std::sync::Arc;
use tokio::{fs::File, io::AsyncReadExt};
use tokio_util::io::ReaderStream;

/// Most bytes that are read from a file at a time: a received mail of usual size, a few chunks of a long one.
const PIECE: usize = 256 << 10;

pub fn read(
    objects: Arc<dyn ObjectStore>,
    key: DataKey,
    organization_id: Uuid,
    blob_id: Uuid,
) -> impl Stream<Item = Result<Bytes, BlobError>> + Send + 'static {
    stream::once(async move {
        let stored = pieces(objects.get(&path_of(organization_id, blob_id)).await?);
        let mut source = Source { stored, buffer: BytesMut::new() };
        source.fill(HEADER).await?;
        let header = source.take(HEADER).as_ref().try_into().map_err(|_| BlobError::Tampered)?;
        let chunks = Chunks::resume(&key, organization_id, blob_id, header)?;
        Ok::<_, BlobError>(stream::try_unfold(Some((source, chunks)), next_chunk))
    })
    .try_flatten()
}

/// What is stored, in pieces. The store's own way to read a file asks another thread for every 8 KiB.
fn pieces(found: GetResult) -> BoxStream<'static, Result<Bytes, BlobError>> {
    let length = found.range.end - found.range.start;
    match found.payload {
        GetResultPayload::File(file, _) => {
            let piece = usize::try_from(length).unwrap_or(PIECE).clamp(1, PIECE);
            let content = ReaderStream::with_capacity(File::from_std(file).take(length), piece);
            content.map_err(|e| BlobError::Storage(e.to_string())).boxed()
        }
        GetResultPayload::Stream(content) => content.map_err(BlobError::from).boxed(),
    }
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
    stored: BoxStream<'static, Result<Bytes, BlobError>>,
    buffer: BytesMut,
}

impl Source {
    /// Gathers at least `length` bytes; false when the blob ended before.
    async fn fill(&mut self, length: usize) -> Result<bool, BlobError> {
        while self.buffer.len() < length {
            match self.stored.next().await.transpose()? {
                None => return Ok(false),
                Some(piece) => self.buffer.extend_from_slice(&piece),
            }
        }
        Ok(true)
    }

    fn take(&mut self, length: usize) -> BytesMut {
        self.buffer.split_to(length.min(self.buffer.len()))
    }
}
