//! Folders in which messages are exchanged as files. Those who send may change everything in them, so that no link is
//! followed: each folder is opened once, and its files are reached from there.

use rustix::{
    fd::OwnedFd,
    fs::{self, AtFlags, Dir, FileType, Mode, OFlags, RenameFlags},
    io::Errno,
};
use sha2::{Digest, Sha256};
use std::{
    fs::File,
    io::{self, Read, Write},
    path::Path,
    time::{Duration, SystemTime},
};
use uuid::Uuid;

/// Time without a change after which a file is complete.
const QUIET: Duration = Duration::from_secs(2);
/// Time after which a claimed file is given back: its node was stopped.
const ABANDONED: Duration = Duration::from_secs(600);
/// Suffix of a claimed file.
const CLAIMED: &str = ".taking";
const CHECKSUM: &str = ".sha256";
/// Most bytes of a file's name that are kept.
const NAME: usize = 120;

/// An open folder.
pub struct Folder(OwnedFd);

/// A file that nobody else takes meanwhile.
#[derive(Debug)]
pub struct Claim {
    /// Its name now.
    name: String,
}

/// What is in a claimed file.
#[derive(Debug, PartialEq, Eq)]
pub enum Content {
    Message(Vec<u8>),
    TooLarge,
    /// It is no file, or its checksum says otherwise.
    Damaged,
}

impl Folder {
    /// Opens the folder of an organization below a root, and makes both if wanted. None if there is none. A link in
    /// place of a folder is an error.
    pub fn open(root: &Path, organization: &str, child: &str, makes: bool) -> io::Result<Option<Self>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut folder = fs::open(root, flags, Mode::empty())?;
        for name in [organization, child] {
            if makes && let Err(error) = fs::mkdirat(&folder, name, Mode::from_raw_mode(0o770)) {
                ignoring(error, Errno::EXIST)?;
            }
            folder = match fs::openat(&folder, name, flags | OFlags::NOFOLLOW, Mode::empty()) {
                Ok(found) => found,
                Err(Errno::NOENT) => return Ok(None),
                Err(error) => return Err(error.into()),
            };
        }
        Ok(Some(Self(folder)))
    }

    /// The names of complete messages, at most so many, in order. Gives back what was claimed long ago.
    pub fn complete(&self, now: SystemTime, most: usize) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let Ok(name) = entry?.file_name().to_str().map(str::to_owned) else { continue };
            let Ok(found) = fs::statat(&self.0, &name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            if name.starts_with('.') || FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
                continue;
            }
            let age = |seconds: i64| {
                let at = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.max(0).unsigned_abs());
                now.duration_since(at).unwrap_or_default()
            };
            if name.ends_with(CLAIMED) {
                if age(found.st_ctime) > ABANDONED {
                    self.give_back(&Claim { name })?;
                }
            } else if name.to_ascii_lowercase().ends_with(".hl7") && age(found.st_mtime) >= QUIET {
                names.push(name);
            }
        }
        names.sort();
        names.truncate(most);
        Ok(names)
    }

    /// Takes a file, with its checksum. None if another node was faster.
    pub fn claim(&self, name: &str) -> io::Result<Option<Claim>> {
        let stem = name.get(..name.len() - 4).unwrap_or_default();
        let kept: String = stem
            .chars()
            .scan(0, |bytes, c| {
                *bytes += c.len_utf8();
                (*bytes <= NAME).then_some(c)
            })
            .collect();
        // Another file may come with the same name.
        let claim = Claim { name: format!("{}.{kept}.hl7{CLAIMED}", Uuid::now_v7().simple()) };
        match fs::renameat(&self.0, name, &self.0, &claim.name) {
            Ok(()) => {}
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        self.rename(&format!("{name}{CHECKSUM}"), &claim.checksum())?;
        Ok(Some(claim))
    }

    /// What is in a claimed file.
    pub fn content(&self, claim: &Claim, limit: u64) -> io::Result<Content> {
        let content = match self.read(&claim.name, limit) {
            Ok(Some(content)) => content,
            Ok(None) => return Ok(Content::TooLarge),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => return Ok(Content::Damaged),
            Err(error) => return Err(error),
        };
        let written = match self.read(&claim.checksum(), 4096) {
            Ok(written) => String::from_utf8_lossy(&written.unwrap_or_default()).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Content::Message(unframed(content)));
            }
            Err(error) if error.kind() == io::ErrorKind::InvalidData => return Ok(Content::Damaged),
            Err(error) => return Err(error),
        };
        let is_same = written
            .split_whitespace()
            .next()
            .is_some_and(|word| word.eq_ignore_ascii_case(&digest(&content)));
        Ok(if is_same { Content::Message(unframed(content)) } else { Content::Damaged })
    }

    /// Deletes a claimed file whose content is durable.
    pub fn done(&self, claim: &Claim) -> io::Result<()> {
        self.remove(&claim.name)?;
        self.remove(&claim.checksum())
    }

    /// Makes a claimed file available again.
    pub fn give_back(&self, claim: &Claim) -> io::Result<()> {
        let name = claim.original();
        self.rename(&claim.checksum(), &format!("{name}{CHECKSUM}"))?;
        self.rename(&claim.name, &name)
    }

    /// Moves a claimed file to another folder, with the reason beside it.
    pub fn set_aside(&self, claim: &Claim, to: &Self, reason: &str) -> io::Result<()> {
        let name = claim.original();
        to.put(&format!("{name}.reason.txt"), format!("{reason}\n").as_bytes())?;
        fs::renameat_with(&self.0, &claim.name, &to.0, &name, RenameFlags::NOREPLACE)?;
        self.remove(&claim.checksum())
    }

    /// Writes a message that is complete when it has its name, beside its checksum.
    pub fn put_message(&self, name: &str, content: &[u8]) -> io::Result<()> {
        self.put(&format!("{name}{CHECKSUM}"), format!("{}  {name}\n", digest(content)).as_bytes())?;
        self.put(name, content)
    }

    fn put(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let part = format!("{name}.part");
        // What another attempt left.
        self.remove(&part)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(fs::openat(&self.0, &part, flags, Mode::from_raw_mode(0o660))?);
        file.write_all(content)?;
        file.sync_all()?;
        fs::renameat(&self.0, &part, &self.0, name)?;
        Ok(fs::fsync(&self.0)?)
    }

    /// The content of a file; none if it is too large. `InvalidData` for anything but a file.
    fn read(&self, name: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        // A pipe would be waited for otherwise.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match fs::openat(&self.0, name, flags, Mode::empty()) {
            Ok(opened) => File::from(opened),
            Err(Errno::LOOP | Errno::NXIO | Errno::ISDIR) => return Err(io::ErrorKind::InvalidData.into()),
            Err(error) => return Err(error.into()),
        };
        if !file.metadata()?.is_file() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut content = Vec::new();
        file.take(limit + 1).read_to_end(&mut content)?;
        Ok(Some(content).filter(|content| content.len() as u64 <= limit))
    }

    /// Renames a file that may not be there, unless the name is taken.
    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        match fs::renameat_with(&self.0, from, &self.0, to, RenameFlags::NOREPLACE) {
            Err(error) => Ok(ignoring(error, Errno::NOENT)?),
            Ok(()) => Ok(()),
        }
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        match fs::unlinkat(&self.0, name, AtFlags::empty()) {
            Err(error) => Ok(ignoring(error, Errno::NOENT)?),
            Ok(()) => Ok(()),
        }
    }
}

impl Claim {
    fn original(&self) -> String {
        self.name.strip_suffix(CLAIMED).unwrap_or(&self.name).to_owned()
    }

    fn checksum(&self) -> String {
        format!("{}{CHECKSUM}", self.name)
    }
}

fn ignoring(error: Errno, expected: Errno) -> Result<(), Errno> {
    if error == expected { Ok(()) } else { Err(error) }
}

fn digest(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The message of a file, without the frame of MLLP that some systems leave around it.
fn unframed(mut content: Vec<u8>) -> Vec<u8> {
    if content.first() == Some(&0x0B) {
        content.remove(0);
    }
    if let Some(end) = content.iter().rposition(|byte| *byte == 0x1C)
        && content[end..].iter().all(|byte| matches!(byte, 0x1C | b'\r' | b'\n'))
    {
        content.truncate(end);
    }
    content
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Folder) {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::open(root.path(), "lark", "in", true).unwrap().unwrap();
        (root, folder)
    }

    fn later() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 33)
    }

    #[test]
    fn a_frame_around_a_file_is_no_part_of_its_message() {
        let text = b"MSH|^~\\&|A".to_vec();
        assert_eq!(unframed(text.clone()), text);
        assert_eq!(unframed([b"\x0b".as_slice(), &text, b"\x1c\r\n"].concat()), text);
        assert_eq!(unframed([text.as_slice(), b"\x1cx"].concat()), [text.as_slice(), b"\x1cx"].concat());
    }

    #[test]
    fn a_file_is_taken_once_whole_and_as_its_checksum_says() {
        let (root, folder) = folder();
        let inbox = root.path().join("lark/in");
        let put = |name: &str, content: &str| std::fs::write(inbox.join(name), content).unwrap();
        let taken = |limit| {
            let claim = folder.claim("one.hl7").unwrap().unwrap();
            folder.content(&claim, limit).unwrap()
        };
        put("one.hl7", "MSH|1");
        assert_eq!(taken(10), Content::Message(b"MSH|1".into()));
        assert!(folder.claim("one.hl7").unwrap().is_none(), "it is taken");
        put("one.hl7", "MSH|12345678");
        assert_eq!(taken(10), Content::TooLarge, "another one of the same name");
        put("one.hl7", "MSH|2");
        put("one.hl7.sha256", &format!("{}  one.hl7", "0".repeat(64)));
        assert_eq!(taken(10), Content::Damaged);
        put("one.hl7", "MSH|2");
        put("one.hl7.sha256", &digest(b"MSH|2").to_uppercase());
        assert_eq!(taken(10), Content::Message(b"MSH|2".into()));
    }

    #[test]
    fn a_file_whose_node_was_stopped_is_given_back_and_none_is_overwritten() {
        let (root, folder) = folder();
        let inbox = root.path().join("lark/in");
        std::fs::write(inbox.join("one.hl7"), "first").unwrap();
        folder.claim("one.hl7").unwrap().unwrap();
        std::fs::write(inbox.join("one.hl7"), "second").unwrap();
        assert_eq!(folder.complete(later(), 9).unwrap(), ["one.hl7"]);
        let names = folder.complete(later(), 9).unwrap();
        assert_eq!(names.len(), 2, "{names:?}");
        let long = format!("{}.hl7", "x".repeat(240));
        std::fs::write(inbox.join(&long), "third").unwrap();
        let claim = folder.claim(&long).unwrap().unwrap();
        assert_eq!(folder.content(&claim, 9).unwrap(), Content::Message(b"third".into()));
        folder.done(&claim).unwrap();
    }

    #[test]
    fn links_and_pipes_are_not_followed() {
        use std::os::unix::fs::symlink;
        let (root, folder) = folder();
        let inbox = root.path().join("lark/in");
        std::fs::write(root.path().join("secret"), "MSH|secret").unwrap();
        symlink(root.path().join("secret"), inbox.join("link.hl7")).unwrap();
        assert!(folder.complete(later(), 9).unwrap().is_empty());
        let claim = folder.claim("link.hl7").unwrap().unwrap();
        assert_eq!(folder.content(&claim, 99).unwrap(), Content::Damaged);
        std::fs::write(inbox.join("one.hl7"), "MSH").unwrap();
        fs::mknodat(&folder.0, "one.hl7.sha256", FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        let claim = folder.claim("one.hl7").unwrap().unwrap();
        assert_eq!(folder.content(&claim, 99).unwrap(), Content::Damaged);
        symlink(&inbox, root.path().join("lark/out")).unwrap();
        assert!(Folder::open(root.path(), "lark", "out", true).is_err());
        assert!(Folder::open(root.path(), "other", "in", false).unwrap().is_none());
    }
}
