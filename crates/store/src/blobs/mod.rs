//! Sealed files of any size, in a local folder or an S3-compatible store.
//!
//! Callers stream through [`BlobStore::writer`] and [`BlobStore::reader`]; a blob is never in memory as a whole.
//! Bytes are sealed here (see [`format`]), so neither the folder nor the object store sees content.

mod format;
mod reader;
mod sweep;
mod writer;

use crate::flush::{self, Flusher};
use crate::keys::DataKey;
use bytes::{Bytes, BytesMut};
use futures::{StreamExt, TryStreamExt, stream::BoxStream};
use object_store::{
    ClientOptions, ObjectStore, ObjectStoreExt, aws::AmazonS3Builder, local::LocalFileSystem, path::Path,
};
use sea_orm::entity::prelude::Uuid;
use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
pub use sweep::StoredBlob;
pub use writer::{BlobInfo, BlobWriter};

/// Timeout while an S3-compatible store sends nothing.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    #[error("there is no such blob")]
    NotFound,
    #[error("the blob was changed, truncated or swapped")]
    Tampered,
    #[error("the blob is larger than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("the blob store is full")]
    Full,
    #[error("the blob store failed: {0}")]
    Storage(String),
}

impl BlobError {
    /// Text of a storage error with its causes.
    fn of(error: &(dyn std::error::Error + 'static)) -> Self {
        let causes = std::iter::successors(Some(error), |error| error.source());
        let is_full = |error: &std::io::Error| {
            matches!(error.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded)
        };
        if causes.filter_map(|error| error.downcast_ref()).any(is_full) {
            return Self::Full;
        }
        Self::Storage(error.to_string())
    }
}

impl From<object_store::Error> for BlobError {
    fn from(error: object_store::Error) -> Self {
        match error {
            object_store::Error::NotFound { .. } => Self::NotFound,
            other => Self::of(&other),
        }
    }
}

/// Address and credentials of an S3-compatible store.
#[derive(Clone)]
pub struct S3Config {
    pub bucket: String,
    pub region: String,
    /// Address of a store other than Amazon's, such as `https://s3.example.org`.
    pub endpoint: Option<String>,
    pub access_key_id: String,
    pub secret_access_key: String,
    /// Lets an endpoint be plain `http:`, for a store on the same machine.
    pub allow_http: bool,
}

/// The size of a part, and the number of parts written concurrently.
#[derive(Clone, Copy)]
struct Buffering {
    part: usize,
    parts: usize,
}

/// Number of finished blobs, and number of them included in a flush.
#[derive(Default)]
struct Written {
    finished: AtomicU64,
    durable: AtomicU64,
}

/// The blob store. Cloning shares it.
#[derive(Clone)]
pub struct BlobStore {
    objects: Arc<dyn ObjectStore>,
    buffering: Buffering,
    flusher: Option<Arc<Flusher>>,
    written: Arc<Written>,
    /// Only for a store in a folder.
    root: Option<PathBuf>,
}

impl BlobStore {
    /// Blobs in a folder, which is created if it is missing.
    pub fn local(root: impl AsRef<std::path::Path>) -> Result<Self, BlobError> {
        let failed = |e: std::io::Error| BlobError::Storage(e.to_string());
        std::fs::create_dir_all(&root).map_err(failed)?;
        let objects = LocalFileSystem::new_with_prefix(&root)?.with_fsync(!flush::CAN_FLUSH_GROUPS);
        Ok(Self {
            objects: Arc::new(objects),
            buffering: Buffering { part: 1 << 20, parts: 2 },
            flusher: Some(Arc::new(Flusher::of_folder(root.as_ref()).map_err(failed)?)),
            written: Arc::default(),
            root: Some(root.as_ref().to_owned()),
        })
    }

    /// Blobs in a bucket.
    pub fn s3(config: &S3Config) -> Result<Self, BlobError> {
        // No overall timeout, since a large document takes as long as its reader; a silent store times out.
        let client = ClientOptions::new()
            .with_timeout_disabled()
            .with_read_timeout(READ_TIMEOUT)
            .with_allow_http(config.allow_http);
        let mut builder = AmazonS3Builder::new()
            .with_client_options(client)
            .with_bucket_name(&config.bucket)
            .with_region(&config.region)
            .with_access_key_id(&config.access_key_id)
            .with_secret_access_key(&config.secret_access_key);
        if let Some(endpoint) = &config.endpoint {
            builder = builder.with_endpoint(endpoint);
        }
        Ok(Self {
            objects: Arc::new(builder.build()?),
            // S3 takes parts of 5 MiB or more.
            buffering: Buffering { part: 5 << 20, parts: 3 },
            // It answers a write only when it is durable.
            flusher: None,
            written: Arc::default(),
            root: None,
        })
    }

    /// Starts writing a blob. It exists once [`BlobWriter::finish`] has returned; a dropped writer leaves nothing.
    pub fn writer(&self, key: &DataKey, organization_id: Uuid, blob_id: Uuid) -> BlobWriter {
        BlobWriter::new(self, key, organization_id, blob_id)
    }

    /// Writes a blob that is in memory already.
    pub async fn put(
        &self,
        key: &DataKey,
        organization_id: Uuid,
        blob_id: Uuid,
        bytes: Bytes,
    ) -> Result<BlobInfo, BlobError> {
        let mut writer = self.writer(key, organization_id, blob_id);
        writer.write(bytes).await?;
        writer.finish().await
    }

    /// The content in pieces of at most 64 KiB. Each piece is authentic; the content is complete only if the stream
    /// ends without an error.
    pub fn reader(
        &self,
        key: &DataKey,
        organization_id: Uuid,
        blob_id: Uuid,
    ) -> BoxStream<'static, Result<Bytes, BlobError>> {
        reader::read(self.objects.clone(), self.root.clone(), key.clone(), organization_id, blob_id).boxed()
    }

    /// The whole content, if it has at most `limit` bytes.
    pub async fn read_to_vec(
        &self,
        key: &DataKey,
        organization_id: Uuid,
        blob_id: Uuid,
        limit: u64,
    ) -> Result<Vec<u8>, BlobError> {
        let mut pieces = self.reader(key, organization_id, blob_id);
        let mut whole = BytesMut::new();
        while let Some(piece) = pieces.try_next().await? {
            if (whole.len() + piece.len()) as u64 > limit {
                return Err(BlobError::TooLarge { limit });
            }
            whole.extend_from_slice(&piece);
        }
        Ok(whole.into())
    }

    /// Removes a blob; a missing one is fine.
    pub async fn delete(&self, organization_id: Uuid, blob_id: Uuid) -> Result<(), BlobError> {
        match self.objects.delete(&path_of(organization_id, blob_id)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Stores a small text of the installation, which is not a blob of an organization and is not sealed.
    pub async fn write_note(&self, name: &str, content: Bytes) -> Result<(), BlobError> {
        self.objects.put(&note(name), content.into()).await?;
        Ok(())
    }

    /// The last text of [`Self::write_note`].
    pub async fn read_note(&self, name: &str) -> Result<Option<Bytes>, BlobError> {
        match self.objects.get(&note(name)).await {
            Ok(found) => Ok(Some(found.bytes().await?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether a blob exists, without reading it.
    pub async fn exists(&self, organization_id: Uuid, blob_id: Uuid) -> Result<bool, BlobError> {
        match self.objects.head(&path_of(organization_id, blob_id)).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes all finished blobs durable. Concurrent callers share one flush.
    pub async fn sync(&self) -> Result<(), BlobError> {
        let finished = self.written.finished.load(Ordering::SeqCst);
        if let Some(flusher) = &self.flusher {
            flusher.flush().await.map_err(|e| BlobError::of(&e))?;
        }
        self.written.durable.fetch_max(finished, Ordering::SeqCst);
        Ok(())
    }

    /// Whether a flush included all finished blobs: no row may name a blob before that.
    pub fn is_durable(&self) -> bool {
        self.written.durable.load(Ordering::SeqCst) == self.written.finished.load(Ordering::SeqCst)
    }
}

fn note(name: &str) -> Path {
    Path::from(format!("installation/{name}"))
}

/// `{organization}/{first byte of the random tail of the id}/{id}`: no folder grows too large for tools,
/// and a tenant can be removed or exported as one folder.
fn path_of(organization_id: Uuid, blob_id: Uuid) -> Path {
    Path::from(format!("{organization_id}/{:02x}/{blob_id}", blob_id.as_bytes()[10]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn blobs_are_not_durable_when_the_disk_fails() {
        let folder = tempfile::tempdir().unwrap();
        let broken = Flusher::new(|| Err(std::io::Error::other("disk")));
        let blobs = BlobStore { flusher: Some(Arc::new(broken)), ..BlobStore::local(folder.path()).unwrap() };
        blobs.written.finished.fetch_add(1, Ordering::SeqCst);
        assert!(matches!(blobs.sync().await, Err(BlobError::Storage(_))));
        assert!(!blobs.is_durable());
        let whole = BlobStore { flusher: None, ..blobs };
        whole.sync().await.unwrap();
        assert!(whole.is_durable());
    }
}
