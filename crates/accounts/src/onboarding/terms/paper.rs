//! Terms as a document to be kept by those who accept them.

use axum::{
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
pub use documents::terms::Terms;
use platform::{Error, Result, download};

/// The terms as PDF, as a file of that name.
pub async fn download(terms: Terms, file_name: &str) -> Result<Response> {
    let drawn = tokio::task::spawn_blocking(move || terms.to_pdf()).await.map_err(Error::internal)?;
    let pdf = drawn.ok_or_else(|| Error::internal("the terms cannot be set"))?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/pdf")),
        (header::CONTENT_DISPOSITION, download::attachment(file_name)),
    ];
    Ok((headers, pdf).into_response())
}
