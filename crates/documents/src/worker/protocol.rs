//! Protocol of the pipes: a length (u32, little endian), that many bytes of JSON, then the file until the
//! end.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clinical::{cda::outline::Outline, referral::Message};
use serde::{Deserialize, Serialize};

use super::{Confinement, Job, Limits};
use crate::extract::ExtractedPatient;
use crate::paging::PageLook;
use crate::places::PlacedText;
use crate::reading::PartInfo;
use crate::{Flaws, Kind};

/// Request to the worker; the file follows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Request {
    pub job: Job,
    pub kind: Kind,
    pub memory: u64,
    pub cpu_seconds: u64,
    pub wall_seconds: u64,
    /// The only folder to which LibreOffice may write.
    #[serde(default)]
    pub folder: Option<PathBuf>,
}

impl Request {
    pub fn new(job: Job, kind: Kind, limits: Limits) -> Self {
        Self {
            job,
            kind,
            memory: limits.memory,
            cpu_seconds: limits.cpu.as_secs().max(1),
            // The caller enforces the limit. This one only ends a worker whose caller is gone.
            wall_seconds: limits.wall.as_secs() + 5,
            folder: None,
        }
    }

    pub fn in_folder(self, folder: &Path) -> Self {
        Self { folder: Some(folder.to_owned()), ..self }
    }
}

/// Answer of the worker. PDF, PNG, TIFF, HTML and extracted files follow.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Reply {
    Pdf,
    Kept(Flaws),
    Page { width: u32, height: u32 },
    ScannedPage { width: u32, height: u32, dpi: (f32, f32) },
    Text(Vec<String>),
    Scan(Vec<PlacedText>),
    Patient(Box<ExtractedPatient>),
    PageCount(u32),
    Pages(Vec<PageLook>),
    Fax { pages: u32 },
    Prepared(Result<Range<usize>, pades::Problem>),
    Html,
    Outline(Box<Outline>),
    Referral(Option<Box<Message>>),
    Parts(Vec<PartInfo>),
    Part(PartInfo),
    Confinement(Confinement),
    Failed(Failure),
}

/// Reason why the worker has no result.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Failure {
    Encrypted,
    Broken(String),
    Unsupported,
    NoSuchPage { pages: u32 },
    NoSuchPart,
    TooLarge,
    Unprintable(BTreeSet<char>),
    Panicked(String),
}

pub(super) fn request(request: &Request) -> Vec<u8> {
    frame(&serde_json::to_vec(request).unwrap_or_default())
}

pub(super) fn reply(reply: &Reply) -> Vec<u8> {
    frame(&serde_json::to_vec(reply).unwrap_or_default())
}

fn frame(json: &[u8]) -> Vec<u8> {
    let mut out = (json.len() as u32).to_le_bytes().to_vec();
    out.extend_from_slice(json);
    out
}

/// Splits an answer into the reply and its file; `None` if it is invalid.
pub(super) fn split_reply(mut answer: Vec<u8>) -> Option<(Reply, Vec<u8>)> {
    let length = u32::from_le_bytes(answer.get(..4)?.try_into().ok()?) as usize;
    let reply = serde_json::from_slice(answer.get(4..length.checked_add(4)?)?).ok()?;
    answer.drain(..4 + length);
    Some((reply, answer))
}
