//! Zip hygiene (ASVS V5.2.3, V5.3.3; IHE XDM import): checks archives before they are unpacked.

use std::io::{self, Cursor, Read};

use zip::{ZipArchive, result::ZipError};

/// Maximum number of entries.
pub const MAX_ENTRIES: usize = 2_000;
/// Maximum unpacked size of all entries together, in bytes.
pub const MAX_UNPACKED: u64 = 512 * 1024 * 1024;
/// Maximum ratio of unpacked to packed size of an entry larger than [`RATIO_FREE`].
pub const MAX_RATIO: u64 = 200;
/// Unpacked size in bytes up to which any ratio is accepted: small XML packs very well.
pub const RATIO_FREE: u64 = 1024 * 1024;

/// Reason for refusing an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    /// The central directory cannot be read.
    #[error("the archive cannot be read")]
    Broken,
    /// More than [`MAX_ENTRIES`].
    #[error("the archive has too many entries")]
    TooManyEntries,
    /// More than [`MAX_UNPACKED`] bytes, or a ratio above [`MAX_RATIO`].
    #[error("the archive unpacks to too much data")]
    TooLarge,
    /// The unpacked size of an entry differs from the declared one.
    #[error("the archive lies about the sizes of its entries")]
    WrongSize,
    /// The path of an entry leads out of the target folder.
    #[error("the archive has entries with unsafe names")]
    UnsafeName,
    /// An entry is a symbolic link.
    #[error("the archive has symbolic links")]
    Link,
    /// An entry is encrypted, so it cannot be checked.
    #[error("the archive is encrypted")]
    Encrypted,
}

/// A file in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Path inside the archive, with `/` as separator.
    pub name: String,
    /// Unpacked size in bytes, as declared.
    pub size: u64,
}

/// Files of a harmless archive. Checks the declared sizes first, then unpacks each entry without storing it,
/// and stops at its declared size.
pub fn entries(content: &[u8]) -> Result<Vec<Entry>, ArchiveError> {
    let mut archive = ZipArchive::new(Cursor::new(content)).map_err(|_| ArchiveError::Broken)?;
    if archive.len() > MAX_ENTRIES {
        return Err(ArchiveError::TooManyEntries);
    }
    let mut total = 0u64;
    let mut found = Vec::new();
    for index in 0..archive.len() {
        let file = archive.by_index_raw(index).map_err(|_| ArchiveError::Broken)?;
        let (size, packed) = (file.size(), file.compressed_size());
        total = total.saturating_add(size);
        if total > MAX_UNPACKED || (size > RATIO_FREE && size / packed.max(1) > MAX_RATIO) {
            return Err(ArchiveError::TooLarge);
        }
        if file.encrypted() {
            return Err(ArchiveError::Encrypted);
        }
        if file.is_symlink() {
            return Err(ArchiveError::Link);
        }
        let name = file.name().replace('\\', "/");
        if !safe_name(&name) {
            return Err(ArchiveError::UnsafeName);
        }
        if !file.is_dir() {
            found.push(Entry { name, size });
        }
        drop(file);
        check_size(&mut archive, index, size)?;
    }
    Ok(found)
}

/// Unpacks an entry with a supported compression method, to verify its size.
fn check_size(archive: &mut ZipArchive<Cursor<&[u8]>>, index: usize, size: u64) -> Result<(), ArchiveError> {
    match archive.by_index(index) {
        Ok(entry) => {
            let unpacked = io::copy(&mut entry.take(size + 1), &mut io::sink());
            // An error means a wrong checksum or no packed data at all.
            if unpacked.is_ok_and(|unpacked| unpacked == size) {
                Ok(())
            } else {
                Err(ArchiveError::WrongSize)
            }
        }
        Err(ZipError::UnsupportedArchive(_)) => Ok(()),
        Err(_) => Err(ArchiveError::Broken),
    }
}

fn safe_name(name: &str) -> bool {
    let drive = name.as_bytes().get(1) == Some(&b':');
    let control = name.chars().any(char::is_control);
    !drive && !control && !name.starts_with('/') && !name.split('/').any(|part| part == "..")
}
