//! Storage of messages' files.

use anyhow::{Context, Result, anyhow};
use platform::{Config, config::S3};
use store::blobs::{BlobStore, S3Config};

/// The configured blob store.
pub fn blobs(config: &Config) -> Result<BlobStore> {
    if let Some(s3) = &config.blobs.s3 {
        return BlobStore::s3(&s3_config(s3)?).context("the blob store cannot be used");
    }
    let folder = config.blob_dir();
    BlobStore::local(&folder).with_context(|| format!("the blob folder {} cannot be used", folder.display()))
}

fn s3_config(s3: &S3) -> Result<S3Config> {
    let wanted = |value: &Option<String>, name: &str| {
        value.clone().ok_or_else(|| anyhow!("blobs.s3.{name} is missing"))
    };
    Ok(S3Config {
        bucket: s3.bucket.clone(),
        region: s3.region.clone(),
        allow_http: s3.endpoint.as_ref().is_some_and(|endpoint| endpoint.starts_with("http://")),
        endpoint: s3.endpoint.clone(),
        access_key_id: wanted(&s3.access_key_id, "access_key_id")?,
        secret_access_key: wanted(&s3.secret_access_key, "secret_access_key")?,
    })
}
