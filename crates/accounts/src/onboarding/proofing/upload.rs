//! A photo ID on its way from a browser.

use documents::Kind;
use platform::{
    App, Error, Member, Result,
    upload::{Checked, Part},
};

/// Bytes of a document.
pub const DOCUMENT_LIMIT: usize = 10 << 20;
const NAME_MAX: usize = 255;
const KINDS: &[Kind] = &[Kind::Pdf, Kind::Jpeg, Kind::Png, Kind::Tiff];

/// What is said of a larger one.
pub const TOO_LARGE: &str = "Your file exceeds the maximum (10MB) allowed size.";
const KINDS_TEXT: &str = "Please choose a PDF, JPEG, PNG or TIFF file.";

/// A document of a kind that can be looked at, which was shown to the malware scanner.
pub struct Document {
    pub name: String,
    pub mime_type: &'static str,
    pub content: Checked,
}

/// Reads the file part; extension and content must agree.
pub async fn receive(app: &App, member: &Member, part: Part<'_>) -> Result<Document> {
    let content = part.file(DOCUMENT_LIMIT).await?.checked(app, Some(member.organization_id), "file").await?;
    let name: String = content.name().chars().take(NAME_MAX).collect();
    // Looking into archives, of which the check would want the whole, is not needed: none is accepted.
    let head = &content[..content.len().min(documents::HEAD)];
    let file = documents::check_upload(&name, head).ok().filter(|f| KINDS.contains(&f.kind));
    let mime_type = file.ok_or_else(|| Error::field("file", KINDS_TEXT))?.mime_type;
    Ok(Document { name, mime_type, content })
}
