//! Upload of a photo ID.

use documents::Kind;
use platform::{
    App, Error, Member, Result,
    upload::{Checked, Part},
};

/// Maximum size of a document in bytes.
pub const DOCUMENT_LIMIT: usize = 10 << 20;
const NAME_MAX: usize = 255;
const KINDS: &[Kind] = &[Kind::Pdf, Kind::Jpeg, Kind::Png, Kind::Tiff];

/// Error for a larger one.
pub const TOO_LARGE: &str = "Your file exceeds the maximum (10MB) allowed size.";
const KINDS_TEXT: &str = "Please choose a PDF, JPEG, PNG or TIFF file.";

/// A document of an allowed type that passed the malware scanner.
pub struct Document {
    pub name: String,
    pub mime_type: &'static str,
    pub content: Checked,
}

/// Reads the file part; extension and content must match.
pub async fn receive(app: &App, member: &Member, part: Part<'_>) -> Result<Document> {
    let content = part.file(DOCUMENT_LIMIT).await?.checked(app, Some(member.organization_id), "file").await?;
    let name: String = content.name().chars().take(NAME_MAX).collect();
    // Archives are refused by their type, so their contents need no check.
    let head = &content[..content.len().min(documents::HEAD)];
    let file = documents::check_upload(&name, head).ok().filter(|f| KINDS.contains(&f.kind));
    let mime_type = file.ok_or_else(|| Error::field("file", KINDS_TEXT))?.mime_type;
    Ok(Document { name, mime_type, content })
}
