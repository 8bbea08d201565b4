//! Upload of a file from a browser into storage: encrypted in pieces as it arrives, so that many large uploads do not
//! fill the memory.

#![expect(
    clippy::disallowed_methods,
    reason = "these files are held until a step has scanned them for malware"
)]

use super::{
    describe::described,
    preview::sentence,
    queries::{self, Wishes},
};
use crate::{
    files::{self, FILE_LIMIT, NewFile},
    model::AttachmentMeta,
};
use admission::Party;
use bytes::{Bytes, BytesMut};
use documents::{
    Kind, UploadError,
    worker::{Converter, Fault, Input},
};
use platform::{App, Error, Member, Result, upload::Part};
use std::io;
use store::{blobs::BlobInfo, entities::attachment};
use tokio::runtime::Handle;
use uuid::Uuid;

/// Error for a file above the limit.
pub const TOO_LARGE: &str = "Your attachment exceeds the maximum (20MB) allowed size.";
const BUSY: &str = "The file could not be read. Please try again.";

/// An uploaded file in storage without a row. It is removed unless it is kept.
pub struct Upload {
    app: App,
    organization_id: Uuid,
    name: String,
    /// First bytes of the file, which determine its kind.
    head: Bytes,
    blob: BlobInfo,
    kept: bool,
}

impl Upload {
    /// Stores the file field of a form, up to the maximum file size. An interrupted upload leaves nothing behind.
    pub async fn receive(app: &App, organization_id: Uuid, mut part: Part<'_>) -> Result<Self> {
        app.health.disk.room()?;
        let name = part.file_name();
        let key = app.keys.data_key(organization_id).await?;
        let mut blob = app.blobs.writer(&key, organization_id, Uuid::now_v7());
        let mut head = BytesMut::new();
        while let Some(piece) = part.unscanned(FILE_LIMIT as usize).await? {
            let missing = documents::HEAD.saturating_sub(head.len()).min(piece.len());
            head.extend_from_slice(&piece[..missing]);
            blob.write(piece).await?;
        }
        let (app, head, blob) = (app.clone(), head.freeze(), blob.finish().await?);
        Ok(Self { app, organization_id, name, head, blob, kept: false })
    }

    fn converter(&self) -> Converter {
        self.app.converter.of(self.organization_id)
    }

    /// The kind of the file, by its content and name.
    pub async fn kind(&self) -> Result<Kind> {
        if !documents::detect(&self.head).is_archive() {
            let kind = check(&self.name, &self.head)?;
            if !kind.structured() {
                return Ok(kind);
            }
        }
        let turn = self.app.health.whole_files.enter(self.organization_id.into(), 1).await;
        let _turn = turn.map_err(|_| Error::TooMany(BUSY.into()))?;
        let (name, content) = (self.name.clone(), self.whole().await?);
        // Archives are unpacked to determine their real size.
        let checked = tokio::task::spawn_blocking(move || check(&name, &content));
        checked.await.map_err(Error::internal)?
    }

    /// Metadata of a structured file.
    ///
    /// # Errors
    ///
    /// Unavailable while the converter is busy: the upload has to be tried again.
    pub async fn described(&self, kind: Kind) -> Result<Option<AttachmentMeta>> {
        if !kind.structured() {
            return Ok(None);
        }
        match described(&self.converter(), self.input(kind)).await {
            Ok((said, _)) => Ok(Some(said)),
            Err(_) => Err(Error::TooMany(BUSY.into())),
        }
    }

    /// The file as converter input, which is read when the converter is free.
    fn input(&self, kind: Kind) -> Input {
        let (app, organization_id, blob) = (self.app.clone(), self.organization_id, self.blob.id);
        Input::later(kind, self.blob.size, move || {
            let app = app.clone();
            async move {
                let read = files::read(&app, organization_id, blob).await;
                read.map_err(|error| io::Error::other(format!("{error:?}")))
            }
        })
    }

    async fn whole(&self) -> Result<Bytes> {
        files::read(&self.app, self.organization_id, self.blob.id).await
    }

    /// Why a PDF cannot be opened, so that its sender is told. Other files are checked by their preview.
    pub async fn problem(&self, kind: Kind) -> Result<Option<String>> {
        if kind != Kind::Pdf {
            return Ok(None);
        }
        let opened = self.converter().page_count(self.input(kind)).await;
        Ok(opened.err().filter(|error| error.fault() == Fault::Damaged).map(|error| sentence(&error)))
    }

    /// Adds the file to a draft.
    pub async fn add_to_draft(
        self,
        member: Member,
        message_id: Uuid,
        kind: Kind,
        meta: AttachmentMeta,
        problem: Option<String>,
        wishes: Wishes,
    ) -> Result<attachment::Model> {
        let add = move |app, file| async move {
            queries::add_to_draft(&app, &member, message_id, file, wishes).await
        };
        self.keep(kind, meta, problem, add).await
    }

    /// Keeps the file if `add` gives it a row. Continues after the client has left: a row without its file would be
    /// worse than an unused file.
    pub async fn keep<T: Send + 'static, F: Future<Output = Result<T>> + Send>(
        self,
        kind: Kind,
        meta: AttachmentMeta,
        problem: Option<String>,
        add: impl FnOnce(App, NewFile) -> F + Send + 'static,
    ) -> Result<T> {
        let adding = tokio::spawn(Party::from(self.organization_id).working(async move {
            let mut upload = self;
            let (name, blob) = (upload.name.clone(), upload.blob.clone());
            let file = NewFile { name, kind, mime_type: kind.mime_type().into(), blob, meta, problem };
            let added = add(upload.app.clone(), file).await;
            // After a failed commit it is unknown whether the row exists.
            upload.kept = matches!(added, Ok(_) | Err(Error::Internal(_)));
            added
        }));
        adding.await.map_err(Error::internal)?
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        let (false, Ok(runtime)) = (self.kept, Handle::try_current()) else { return };
        let (app, organization_id, id) = (self.app.clone(), self.organization_id, self.blob.id);
        runtime.spawn(async move {
            if let Err(error) = app.blobs.delete(organization_id, id).await {
                tracing::warn!(%error, blob = %id, "a refused upload could not be removed from the blob store");
            }
        });
    }
}

fn check(name: &str, bytes: &[u8]) -> Result<Kind> {
    documents::check_upload(name, bytes).map(|t| t.kind).map_err(|error| {
        let text = match error {
            UploadError::Empty => "File is empty. Please upload something more substantial.".into(),
            UploadError::NoExtension => "Your attachment file type is not supported.".into(),
            UploadError::UnsupportedExtension { extension } => {
                format!("Your attachment file type {extension} is not supported")
            }
            UploadError::ContentMismatch { extension, .. } => {
                format!("The content of the file does not match its extension {extension}.")
            }
            UploadError::UnsafeArchive(_) => "The archive is not safe to open.".into(),
        };
        Error::field("file", text)
    })
}
