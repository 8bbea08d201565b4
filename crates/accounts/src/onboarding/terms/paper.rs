//! Terms as a document to be kept by those who accept them.

use axum::{
    http::{HeaderName, header},
    response::{IntoResponse, Response},
};
pub use documents::terms::Terms;
use platform::{Error, Result};

/// The terms as PDF, as a file of that name, which must be plain ASCII.
pub async fn download(terms: Terms, file_name: &str) -> Result<Response> {
    let drawn = tokio::task::spawn_blocking(move || terms.to_pdf()).await.map_err(Error::internal)?;
    let pdf = drawn.ok_or_else(|| Error::internal("the terms cannot be set"))?;
    let headers: [(HeaderName, String); 2] = [
        (header::CONTENT_TYPE, "application/pdf".into()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{file_name}\"")),
    ];
    Ok((headers, pdf).into_response())
}
