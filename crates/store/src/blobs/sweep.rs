//! Lists stored blobs, to find those without a reference: from transactions that were rolled back, and parts of blobs
//! whose writer died.

use super::{BlobError, BlobStore};
use chrono::{DateTime, Utc};
use futures::{StreamExt, TryStreamExt, stream::BoxStream};
use object_store::ObjectMeta;
use sea_orm::entity::prelude::Uuid;
use std::{fs, io, path::Path};

/// A stored blob, referenced or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StoredBlob {
    pub organization_id: Uuid,
    pub id: Uuid,
}

impl StoredBlob {
    fn of(object: &ObjectMeta) -> Option<Self> {
        let mut parts = object.location.parts();
        let organization_id = parts.next()?.as_ref().parse().ok()?;
        let id = parts.nth(1)?.as_ref().parse().ok()?;
        Some(Self { organization_id, id })
    }
}

impl BlobStore {
    /// The blobs that were written before a time, in no order.
    pub fn written_before(&self, time: DateTime<Utc>) -> BoxStream<'static, Result<StoredBlob, BlobError>> {
        let old = move |object: ObjectMeta| (object.last_modified < time).then(|| StoredBlob::of(&object));
        let objects = self.objects.list(None).map_err(BlobError::from);
        objects.try_filter_map(move |object| std::future::ready(Ok(old(object).flatten()))).boxed()
    }

    /// Removes parts of unfinished blobs that were started before a time, and returns their number. In an object store a
    /// lifecycle rule of the bucket does that.
    pub async fn remove_unfinished(&self, before: DateTime<Utc>) -> Result<usize, BlobError> {
        let Some(root) = self.root.clone() else { return Ok(0) };
        let removed = tokio::task::spawn_blocking(move || remove_pieces(&root, before)).await;
        removed.map_err(io::Error::other).flatten().map_err(|e| BlobError::Storage(e.to_string()))
    }
}

fn remove_pieces(folder: &Path, before: DateTime<Utc>) -> io::Result<usize> {
    let mut removed = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            removed += remove_pieces(&path, before)?;
        } else if is_piece(&path) && DateTime::<Utc>::from(entry.metadata()?.modified()?) < before {
            match fs::remove_file(&path) {
                Ok(()) => removed += 1,
                // Its writer or another node removed it first.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(removed)
}

/// A blob is written to a temporary file: its name, `#` and a number.
fn is_piece(path: &Path) -> bool {
    let name = path.file_name().and_then(|n| n.to_str()).and_then(|n| n.split_once('#'));
    name.is_some_and(|(id, number)| {
        id.parse::<Uuid>().is_ok() && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
    })
}
