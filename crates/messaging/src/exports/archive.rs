//! Several files as one archive, created while it is read: memory use is independent of the number and size of files.

use bytes::{Bytes, BytesMut};
use chrono::{DateTime, Datelike, Timelike, Utc};
use futures::{
    StreamExt, TryStreamExt,
    stream::{self, BoxStream},
};
use std::{
    collections::VecDeque,
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
};
use store::{
    blobs::{BlobError, BlobStore},
    keys::DataKey,
};
use uuid::Uuid;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions, write::StreamWriter};

/// A file of an archive.
pub struct Entry {
    pub path: String,
    pub blob_id: Uuid,
}

/// Output of the archive writer that was not read yet.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<BytesMut>>);

impl Written {
    fn take(&self) -> Bytes {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).split().freeze()
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Archive {
    blobs: BlobStore,
    key: DataKey,
    organization_id: Uuid,
    options: SimpleFileOptions,
    left: VecDeque<Entry>,
    content: Option<BoxStream<'static, Result<Bytes, BlobError>>>,
    written: Written,
    /// `None` once the archive is complete.
    zip: Option<ZipWriter<StreamWriter<Written>>>,
}

impl Archive {
    /// Writes the next part; false when everything is written.
    async fn go_on(&mut self) -> io::Result<bool> {
        let Some(zip) = &mut self.zip else { return Ok(false) };
        if let Some(content) = &mut self.content {
            match content.try_next().await.map_err(io::Error::other)? {
                Some(piece) => zip.write_all(&piece)?,
                None => self.content = None,
            }
        } else if let Some(Entry { path, blob_id }) = self.left.pop_front() {
            zip.start_file(path, self.options)?;
            self.content = Some(self.blobs.reader(&self.key, self.organization_id, blob_id));
        } else if let Some(zip) = self.zip.take() {
            zip.finish()?;
        }
        Ok(true)
    }
}

/// An archive of these files. Every entry is deflated, because a reader of the stream could not find the end of a
/// stored one.
pub fn stream(
    blobs: BlobStore,
    key: DataKey,
    organization_id: Uuid,
    at: DateTime<Utc>,
    entries: Vec<Entry>,
) -> BoxStream<'static, io::Result<Bytes>> {
    let written = Written::default();
    let archive = Archive {
        blobs,
        key,
        organization_id,
        options: SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(1))
            .last_modified_time(time_of(at)),
        left: entries.into(),
        content: None,
        zip: Some(ZipWriter::new_stream(written.clone())),
        written,
    };
    stream::try_unfold(archive, |mut archive| async move {
        while archive.go_on().await? {
            let bytes = archive.written.take();
            if !bytes.is_empty() {
                return Ok(Some((bytes, archive)));
            }
        }
        Ok(None)
    })
    .boxed()
}

fn time_of(at: DateTime<Utc>) -> zip::DateTime {
    let part = |value: u32| u8::try_from(value).unwrap_or_default();
    let year = u16::try_from(at.year()).unwrap_or_default();
    zip::DateTime::from_date_and_time(
        year,
        part(at.month()),
        part(at.day()),
        part(at.hour()),
        part(at.minute()),
        part(at.second()),
    )
    .unwrap_or_default()
}
