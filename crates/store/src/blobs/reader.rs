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
use std::{
    fs::File,
    future::ready,
    io::{self, Read},
    path::PathBuf,
    sync::Arc,
};
use tokio_util::io::ReaderStream;

/// Maximum bytes read from a file at a time: a typical received mail, or a few chunks of a long one.
const CHUNK: usize = 256 << 10;

/// Reads from the folder, if that is the store.
pub fn read(
    objects: Arc<dyn ObjectStore>,
    folder: Option<PathBuf>,
    key: DataKey,
    organization_id: Uuid,
    blob_id: Uuid,
) -> impl Stream<Item = Result<Bytes, BlobError>> + Send + 'static {
    stream::once(async move {
        let path = path_of(organization_id, blob_id);
        let stored = match folder {
            Some(folder) => of_file(folder.join(path.as_ref())).await?,
            None => objects.get(&path).await?.into_stream().map_err(BlobError::from).boxed(),
        };
        let mut source = Source { stored, buffer: BytesMut::new() };
        source.fill(HEADER).await?;
        let header = source.take(HEADER).as_ref().try_into().map_err(|_| BlobError::Tampered)?;
        let chunks = Chunks::resume(&key, organization_id, blob_id, header)?;
        Ok::<_, BlobError>(stream::try_unfold(Some((source, chunks)), next_chunk))
    })
    .try_flatten()
}

/// A file in pieces. Opening it and reading the first piece is one call to a blocking thread; the object_store crate
/// makes one for opening, and another for every 8 KiB.
async fn of_file(path: PathBuf) -> Result<BoxStream<'static, Result<Bytes, BlobError>>, BlobError> {
    let open = move || {
        let mut file = File::open(path)?;
        let length = usize::try_from(file.metadata()?.len()).unwrap_or(CHUNK);
        let mut first = Vec::with_capacity(length.min(CHUNK));
        (&mut file).take(CHUNK as u64).read_to_end(&mut first)?;
        Ok((first, file, length))
    };
    let opened = tokio::task::spawn_blocking(open).await.map_err(io::Error::other).flatten();
    let (first, file, length) = opened.map_err(failed)?;
    let first = stream::once(ready(Ok(first.into())));
    if length <= CHUNK {
        return Ok(first.boxed());
    }
    let rest = ReaderStream::with_capacity(tokio::fs::File::from_std(file), CHUNK);
    Ok(first.chain(rest.map_err(failed)).boxed())
}

fn failed(error: io::Error) -> BlobError {
    match error.kind() {
        io::ErrorKind::NotFound => BlobError::NotFound,
        _ => BlobError::Storage(error.to_string()),
    }
}

async fn next_chunk(
    state: Option<(Source, Chunks)>,
) -> Result<Option<(Bytes, Option<(Source, Chunks)>)>, BlobError> {
    let Some((mut source, mut chunks)) = state else { return Ok(None) };
    // One byte beyond a full chunk shows that it is not the last.
    let last = !source.fill(SEALED_CHUNK + 1).await?;
    let content = chunks.open(&source.take(SEALED_CHUNK), last)?;
    Ok(Some((content.into(), (!last).then_some((source, chunks)))))
}

/// Stored bytes, buffered into pieces of the requested length.
struct Source {
    stored: BoxStream<'static, Result<Bytes, BlobError>>,
    buffer: BytesMut,
}

impl Source {
    /// Buffers at least `length` bytes; false if the blob ends before.
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
