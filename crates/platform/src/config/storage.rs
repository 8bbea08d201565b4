//! Storage: database, documents, keys, and the heads of the audit trail outside the database.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Database {
    /// `sqlite://…` or `postgres://…`; a SQLite file in the data folder when empty.
    pub url: Option<String>,
    /// A file with the URL, so that its password stays out of the environment.
    pub url_file: Option<PathBuf>,
    /// A program with its arguments that prints the URL.
    pub url_command: Option<Vec<String>>,
    /// Allows production to use a database on another machine without verifying its certificate.
    pub allow_plain: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Blobs {
    /// Local folder; if empty, `blobs` in the data folder.
    pub path: Option<PathBuf>,
    /// S3-compatible storage instead of a folder.
    pub s3: Option<S3>,
    /// Minimum of free bytes on the disks of database and documents; below it, nothing is accepted.
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
    /// 32 bytes in hex or base64. In demo mode, one is generated in the data folder.
    pub master_key: Option<String>,
    pub master_key_file: Option<PathBuf>,
    pub master_key_command: Option<Vec<String>>,
    /// Alternatively, a master key in a hardware module.
    pub pkcs11: Option<Pkcs11>,
    /// The key that is being replaced, for reading values that it sealed.
    pub previous_master_key: Option<String>,
    pub previous_master_key_file: Option<PathBuf>,
    pub previous_master_key_command: Option<Vec<String>>,
    /// The same in a hardware module.
    pub previous_pkcs11: Option<Pkcs11>,
}

impl Keys {
    /// Whether a key is being replaced.
    pub fn has_previous(&self) -> bool {
        self.previous_master_key.is_some() || self.previous_pkcs11.is_some()
    }
}

/// A key in a hardware module with PKCS #11.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pkcs11 {
    /// The library of the module's manufacturer.
    pub module: PathBuf,
    /// Label of the token that holds the key.
    pub token_label: String,
    /// Label of the AES-256 key.
    pub key_label: String,
    /// PIN of the token.
    pub pin: Option<String>,
    pub pin_file: Option<PathBuf>,
    pub pin_command: Option<Vec<String>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Audit {
    /// Location of the audit trail's heads; if empty, the data folder or, with S3, the bucket.
    pub heads_file: Option<PathBuf>,
}
