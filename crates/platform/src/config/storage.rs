//! Where everything is kept: database, documents, keys, and what is kept of the audit trail outside the database.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Database {
    /// `sqlite://…` or `postgres://…`; a SQLite file in the data folder when empty.
    pub url: Option<String>,
    /// A file that holds the URL, so that its password stays out of the environment.
    pub url_file: Option<PathBuf>,
    /// A program with its arguments that writes the URL.
    pub url_command: Option<Vec<String>>,
    /// In production another machine may be reached without a certificate that is judged.
    pub allow_plain: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Blobs {
    /// Local folder; `blobs` in the data folder when empty.
    pub path: Option<PathBuf>,
    /// S3-compatible storage instead of a folder.
    pub s3: Option<S3>,
    /// Free bytes on the disks of database and documents below which nothing is taken in.
    pub keep_free_bytes: u64,
}

impl Default for Blobs {
    fn default() -> Self {
        Self { path: None, s3: None, keep_free_bytes: 256 << 20 }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct S3 {
    pub endpoint: Option<String>,
    pub region: String,
    pub bucket: String,
    pub access_key_id: Option<String>,
    pub secret_access_key: Option<String>,
    pub secret_access_key_file: Option<PathBuf>,
    pub secret_access_key_command: Option<Vec<String>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Keys {
    /// 32 bytes in hex or base64. In demo mode one is generated into the data folder.
    pub master_key: Option<String>,
    pub master_key_file: Option<PathBuf>,
    pub master_key_command: Option<Vec<String>>,
    /// The master key is one of a hardware module instead.
    pub pkcs11: Option<Pkcs11>,
    /// The key that is being replaced: what it sealed can still be read.
    pub previous_master_key: Option<String>,
    pub previous_master_key_file: Option<PathBuf>,
    pub previous_master_key_command: Option<Vec<String>>,
    /// The same where it is one of a hardware module.
    pub previous_pkcs11: Option<Pkcs11>,
}

impl Keys {
    /// Whether a key is being replaced.
    pub fn has_previous(&self) -> bool {
        self.previous_master_key.is_some() || self.previous_pkcs11.is_some()
    }
}

/// A key in a hardware module that speaks PKCS #11.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pkcs11 {
    /// The library of the module's maker.
    pub module: PathBuf,
    /// The token that holds the key, by its label.
    pub token_label: String,
    /// The AES-256 key, by its label.
    pub key_label: String,
    /// With it the token is opened.
    pub pin: Option<String>,
    pub pin_file: Option<PathBuf>,
    pub pin_command: Option<Vec<String>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Audit {
    /// Where the heads of the audit trail are kept; in the data folder or, with S3, in the bucket when empty.
    pub heads_file: Option<PathBuf>,
}
