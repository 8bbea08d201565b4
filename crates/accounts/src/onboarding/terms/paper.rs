//! Terms as a document for download.

use axum::{
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
pub use documents::terms::Terms;
use platform::{Error, Result, download};

/// The terms as a PDF file with a name.
pub async fn download(terms: Terms, file_name: &str) -> Result<Response> {
    let drawn = tokio::task::spawn_blocking(move || terms.to_pdf()).await.map_err(Error::internal)?;
    let pdf = drawn.ok_or_else(|| Error::internal("the terms cannot be typeset"))?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/pdf")),
        (header::CONTENT_DISPOSITION, download::attachment(file_name)),
    ];
    Ok((headers, pdf).into_response())
}
