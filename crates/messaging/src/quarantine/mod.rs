//! Quarantine: files with malware findings, for operators. Nobody can open them until they are released.

pub mod http;
mod queries;
