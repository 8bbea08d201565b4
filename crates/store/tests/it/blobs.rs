use crate::{bucket::Bucket, keys::ring};
use bytes::Bytes;
use chrono::Duration;
use futures::{StreamExt, TryStreamExt, future::join_all};
use std::{
    fs,
    path::{Path, PathBuf},
};
use store::{
    Clock, Store,
    blobs::{BlobError, BlobStore, StoredBlob},
    keys::{DataKey, KeyRing, MasterKey},
};
use uuid::Uuid;

const CHUNK: usize = 64 * 1024;
const SEALED_CHUNK: usize = CHUNK + 16;
const HEADER: usize = 9;

struct Fixture {
    folder: tempfile::TempDir,
    blobs: BlobStore,
    key: DataKey,
    other_key: DataKey,
    organization: Uuid,
}

impl Fixture {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("keys.db").display());
        let ring: KeyRing = ring(&Store::open_and_migrate(&url).await.unwrap(), &MasterKey::generate());
        let organization = Uuid::now_v7();
        Self {
            blobs: BlobStore::local(folder.path().join("blobs")).unwrap(),
            key: ring.data_key(organization).await.unwrap(),
            other_key: ring.data_key(Uuid::now_v7()).await.unwrap(),
            organization,
            folder,
        }
    }

    async fn put(&self, content: &[u8]) -> Uuid {
        let id = Uuid::now_v7();
        let bytes = Bytes::copy_from_slice(content);
        let info = self.blobs.put(&self.key, self.organization, id, bytes).await.unwrap();
        assert_eq!((info.id, info.size), (id, content.len() as u64));
        id
    }

    async fn get(&self, id: Uuid) -> Result<Vec<u8>, BlobError> {
        self.blobs.read_to_vec(&self.key, self.organization, id, u64::MAX).await
    }

    fn file(&self, id: Uuid) -> PathBuf {
        let tail = id.simple().to_string()[20..22].to_owned();
        self.folder.path().join(format!("blobs/{}/{tail}/{id}", self.organization))
    }

    fn files(&self) -> Vec<PathBuf> {
        files_under(&self.folder.path().join("blobs"))
    }

    /// Changes the stored bytes of a blob and expects that reading notices.
    async fn is_noticed(&self, id: Uuid, what: &str, change: impl Fn(&mut Vec<u8>)) {
        let whole = fs::read(self.file(id)).unwrap();
        let mut changed = whole.clone();
        change(&mut changed);
        fs::write(self.file(id), &changed).unwrap();
        assert!(matches!(self.get(id).await, Err(BlobError::Tampered)), "{what}");
        fs::write(self.file(id), &whole).unwrap();
        self.get(id).await.unwrap();
    }
}

fn files_under(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries
        .flat_map(|entry| {
            let path = entry.unwrap().path();
            if path.is_dir() { files_under(&path) } else { vec![path] }
        })
        .collect()
}

fn content(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * 31 + i / 251) as u8).collect()
}

#[tokio::test]
async fn a_finished_blob_is_durable_after_a_flush() {
    let f = Fixture::new().await;
    assert!(f.blobs.is_durable());
    f.put(b"note").await;
    assert!(!f.blobs.clone().is_durable(), "clones share what was finished");
    f.blobs.sync().await.unwrap();
    assert!(f.blobs.is_durable());
}

#[tokio::test]
async fn a_blob_of_any_length_reads_as_it_was_written() {
    let f = Fixture::new().await;
    for length in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 7, 40 * CHUNK + 1] {
        let id = f.put(&content(length)).await;
        assert!(f.get(id).await.unwrap() == content(length), "length {length}");
    }
}

#[tokio::test]
async fn a_blob_is_the_same_however_it_was_cut_when_written() {
    let f = Fixture::new().await;
    let whole = content(5 * CHUNK + 11);
    for piece in [1_000, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK] {
        let id = Uuid::now_v7();
        let mut writer = f.blobs.writer(&f.key, f.organization, id);
        for part in whole.chunks(piece) {
            writer.write(Bytes::copy_from_slice(part)).await.unwrap();
        }
        assert_eq!(writer.finish().await.unwrap().size, whole.len() as u64);
        assert!(f.get(id).await.unwrap() == whole, "pieces of {piece}");
    }
}

#[tokio::test]
async fn the_disk_sees_nothing_of_the_content() {
    let f = Fixture::new().await;
    let id = f.put(&b"Patient Ada Lovelace ".repeat(1_000)).await;
    let stored = fs::read(f.file(id)).unwrap();
    assert!(!stored.windows(8).any(|w| w == b"Lovelace"));
    let again = f.put(&b"Patient Ada Lovelace ".repeat(1_000)).await;
    assert_ne!(stored[HEADER..HEADER + 64], fs::read(f.file(again)).unwrap()[HEADER..HEADER + 64]);
}

#[tokio::test]
async fn every_change_to_a_stored_blob_is_noticed() {
    let f = Fixture::new().await;
    let id = f.put(&content(3 * CHUNK + 100)).await;
    let chunk = |n: usize| HEADER + n * SEALED_CHUNK..HEADER + (n + 1) * SEALED_CHUNK;
    for at in [0, 1, 8, HEADER, HEADER + CHUNK, HEADER + SEALED_CHUNK, HEADER + 3 * SEALED_CHUNK + 50] {
        f.is_noticed(id, &format!("flipped bit at {at}"), |b| b[at] ^= 1).await;
    }
    for length in [0, 5, HEADER, HEADER + 10, HEADER + SEALED_CHUNK, HEADER + 3 * SEALED_CHUNK] {
        f.is_noticed(id, &format!("cut to {length}"), |b| b.truncate(length)).await;
    }
    f.is_noticed(id, "one byte less", |b| b.truncate(b.len() - 1)).await;
    f.is_noticed(id, "one byte more", |b| b.push(0)).await;
    f.is_noticed(id, "chunks swapped", |b| {
        let first = b[chunk(0)].to_vec();
        b.copy_within(chunk(1), HEADER);
        b[chunk(1)].copy_from_slice(&first);
    })
    .await;
    f.is_noticed(id, "a chunk left out", |b| drop(b.drain(chunk(1)))).await;
    f.is_noticed(id, "a chunk repeated", |b| {
        let second = b[chunk(1)].to_vec();
        b.splice(chunk(1).start..chunk(1).start, second);
    })
    .await;
}

#[tokio::test]
async fn a_blob_in_anothers_place_is_noticed() {
    let f = Fixture::new().await;
    let (mine, yours) = (f.put(&content(100)).await, f.put(&content(100)).await);
    fs::copy(f.file(mine), f.file(yours)).unwrap();
    assert!(matches!(f.get(yours).await, Err(BlobError::Tampered)));
    let with_other_key = f.blobs.read_to_vec(&f.other_key, f.organization, mine, u64::MAX).await;
    assert!(matches!(with_other_key, Err(BlobError::Tampered)));

    // Moved to another organization that, for this test, has the same key.
    let stranger = Uuid::now_v7();
    let moved = PathBuf::from(
        f.file(mine).to_str().unwrap().replace(&f.organization.to_string(), &stranger.to_string()),
    );
    fs::create_dir_all(moved.parent().unwrap()).unwrap();
    fs::copy(f.file(mine), moved).unwrap();
    let as_stranger = f.blobs.read_to_vec(&f.key, stranger, mine, u64::MAX).await;
    assert!(matches!(as_stranger, Err(BlobError::Tampered)));
}

#[tokio::test]
async fn a_missing_blob_is_not_found_and_a_long_one_is_refused() {
    let f = Fixture::new().await;
    assert!(matches!(f.get(Uuid::now_v7()).await, Err(BlobError::NotFound)));
    let id = f.put(&content(1_000)).await;
    let read = |limit| f.blobs.read_to_vec(&f.key, f.organization, id, limit);
    assert_eq!(read(1_000).await.unwrap().len(), 1_000);
    assert!(matches!(read(999).await, Err(BlobError::TooLarge { limit: 999 })));
}

#[tokio::test]
async fn a_deleted_blob_is_gone_and_deleting_again_is_fine() {
    let f = Fixture::new().await;
    let id = f.put(b"x").await;
    f.blobs.delete(f.organization, id).await.unwrap();
    f.blobs.delete(f.organization, id).await.unwrap();
    assert!(matches!(f.get(id).await, Err(BlobError::NotFound)));
}

#[tokio::test]
async fn an_abandoned_blob_leaves_nothing() {
    let f = Fixture::new().await;
    for length in [10, 40 * CHUNK] {
        let mut writer = f.blobs.writer(&f.key, f.organization, Uuid::now_v7());
        writer.write(content(length).into()).await.unwrap();
        drop(writer);
    }
    // Removal goes on in the background.
    for _ in 0..10_000 {
        if f.files().is_empty() {
            return;
        }
        tokio::task::spawn_blocking(|| ()).await.unwrap();
    }
    panic!("left: {:?}", f.files());
}

#[tokio::test]
async fn a_blob_is_not_seen_before_it_is_finished() {
    let f = Fixture::new().await;
    let id = Uuid::now_v7();
    let mut writer = f.blobs.writer(&f.key, f.organization, id);
    writer.write(content(40 * CHUNK).into()).await.unwrap();
    assert!(matches!(f.get(id).await, Err(BlobError::NotFound)));
    writer.finish().await.unwrap();
    f.get(id).await.unwrap();
}

#[tokio::test]
async fn fifty_megabytes_pass_through_in_a_few_chunks_of_memory() {
    let f = Fixture::new().await;
    let (id, piece) = (Uuid::now_v7(), Bytes::from(content(1 << 20)));
    // The first pass warms up threads and buffers.
    let small = f.put(&content(4 << 20)).await;
    f.blobs.reader(&f.key, f.organization, small).try_for_each(async |_| Ok(())).await.unwrap();
    let before = peak_memory();
    let mut writer = f.blobs.writer(&f.key, f.organization, id);
    for _ in 0..50 {
        writer.write(piece.clone()).await.unwrap();
    }
    let info = writer.finish().await.unwrap();
    let (mut read, mut longest) = (0, 0);
    let mut pieces = f.blobs.reader(&f.key, f.organization, id);
    while let Some(piece) = pieces.next().await {
        let piece = piece.unwrap();
        read += piece.len() as u64;
        longest = longest.max(piece.len());
    }
    assert_eq!((info.size, read, longest), (50 << 20, 50 << 20, CHUNK));
    let grown = peak_memory() - before;
    assert!(grown < 25 << 20, "{grown} bytes more");
}

/// Peak of the resident memory of this process in bytes.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

#[tokio::test]
async fn finished_blobs_are_made_durable_for_all_who_ask() {
    let f = Fixture::new().await;
    for _ in 0..50 {
        f.put(b"mail").await;
    }
    for result in join_all((0..50).map(|_| f.blobs.sync())).await {
        result.unwrap();
    }
}

#[tokio::test]
async fn an_object_store_holds_the_same_as_a_folder() {
    let f = Fixture::new().await;
    let bucket = Bucket::start().await;
    let objects = bucket.blobs();
    for length in [0, CHUNK, 12 << 20] {
        let id = Uuid::now_v7();
        objects.put(&f.key, f.organization, id, content(length).into()).await.unwrap();
        objects.sync().await.unwrap();
        let read = objects.read_to_vec(&f.key, f.organization, id, u64::MAX).await.unwrap();
        assert!(read == content(length), "length {length}");
        objects.delete(f.organization, id).await.unwrap();
        let gone = objects.read_to_vec(&f.key, f.organization, id, u64::MAX).await;
        assert!(matches!(gone, Err(BlobError::NotFound)));
    }
}

#[tokio::test]
async fn a_bucket_holds_nothing_of_a_writer_that_was_dropped() {
    let f = Fixture::new().await;
    let bucket = Bucket::start().await;
    let id = Uuid::now_v7();
    let mut writer = bucket.blobs().writer(&f.key, f.organization, id);
    writer.write(content(12 << 20).into()).await.unwrap();
    drop(writer);
    let read = bucket.blobs().read_to_vec(&f.key, f.organization, id, u64::MAX).await;
    assert!(matches!(read, Err(BlobError::NotFound)));
}

#[tokio::test]
async fn a_bucket_that_refuses_the_key_is_told_of_and_the_key_is_not() {
    let f = Fixture::new().await;
    let bucket = Bucket::start().await;
    let refused = bucket.blobs_of("another secret");
    let error = refused.put(&f.key, f.organization, Uuid::now_v7(), content(10).into()).await.unwrap_err();
    assert!(matches!(error, BlobError::Storage(_)), "{error}");
    assert!(!error.to_string().contains("another secret"), "{error}");
}

#[tokio::test]
async fn what_stands_in_a_bucket_says_nothing_and_a_change_of_it_is_noticed() {
    let f = Fixture::new().await;
    let bucket = Bucket::start().await;
    let id = Uuid::now_v7();
    let blobs = bucket.blobs();
    blobs.put(&f.key, f.organization, id, Bytes::from_static(b"right knee pain")).await.unwrap();
    let files = files_under(bucket.folder.path());
    let [file] = files.iter().filter(|f| f.ends_with(id.to_string())).collect::<Vec<_>>()[..] else {
        panic!("{files:?}")
    };
    let mut stored = fs::read(file).unwrap();
    assert!(!stored.windows(4).any(|w| w == b"knee"));
    *stored.last_mut().unwrap() ^= 1;
    fs::write(file, stored).unwrap();
    let read = blobs.read_to_vec(&f.key, f.organization, id, u64::MAX).await;
    assert!(matches!(read, Err(BlobError::Tampered)));
}

#[tokio::test]
async fn what_was_written_before_a_time_is_found_in_a_folder_and_in_an_object_store() {
    let fixture = Fixture::new().await;
    let now = Clock::system().now();
    let bucket = Bucket::start().await;
    for blobs in [fixture.blobs.clone(), bucket.blobs()] {
        let id = Uuid::now_v7();
        blobs.put(&fixture.key, fixture.organization, id, Bytes::from_static(b"a note")).await.unwrap();
        let blob = StoredBlob { organization_id: fixture.organization, id };
        let found = async |time| blobs.written_before(time).try_collect::<Vec<_>>().await.unwrap();
        assert_eq!(found(now + Duration::hours(1)).await, [blob]);
        assert_eq!(found(now - Duration::hours(1)).await, []);
        assert_eq!(blobs.remove_unfinished(now + Duration::hours(1)).await.unwrap(), 0, "it is finished");
        assert_eq!(found(now + Duration::hours(1)).await, [blob]);
    }
}

#[tokio::test]
async fn pieces_of_a_writer_that_died_are_removed_once_they_are_old() {
    let fixture = Fixture::new().await;
    let now = Clock::system().now();
    let mut writer = fixture.blobs.writer(&fixture.key, fixture.organization, Uuid::now_v7());
    for _ in 0..64 {
        writer.write(Bytes::from(vec![7; CHUNK])).await.unwrap();
    }
    // A process that dies runs no destructors.
    std::mem::forget(writer);
    assert_eq!(fixture.blobs.remove_unfinished(now - Duration::hours(1)).await.unwrap(), 0);
    assert_eq!(fixture.blobs.remove_unfinished(now + Duration::hours(1)).await.unwrap(), 1);
    assert_eq!(fixture.blobs.remove_unfinished(now + Duration::hours(1)).await.unwrap(), 0);
}
