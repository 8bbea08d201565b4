//! Installed fonts, for scripts that the bundled fonts do not cover.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use ttf_parser::cmap;

/// Font folders of Debian and of administrators.
pub(crate) const FOLDERS: [&str; 2] = ["/usr/share/fonts", "/usr/local/share/fonts"];
const MAX_DEPTH: usize = 4;
/// Maximum number of font files that are examined.
const MAX_FILES: usize = 10_000;
/// Maximum size of a font file, in bytes: Noto Sans CJK has 20 MiB.
const MAX_FILE: u64 = 64 << 20;
/// Maximum size of a character table, in bytes; valid tables are far smaller.
const MAX_TABLE: u32 = 4 << 20;

/// Upright text fonts, best first.
static FILES: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
    let mut files = Vec::new();
    for folder in FOLDERS {
        collect(Path::new(folder), MAX_DEPTH, &mut files);
    }
    files.sort_by_cached_key(|path| (rank(path), path.clone()));
    files
});

/// Content of the first font with a glyph for the character, and its index in the file.
pub(crate) fn font_with(c: char) -> Option<(Vec<u8>, u32)> {
    let path = FILES.iter().find(|path| covers(path, c))?;
    Some((fs::read(path).ok()?, 0))
}

fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let (path, kind) = (entry.path(), entry.file_type());
        if files.len() >= MAX_FILES {
            return;
        }
        match kind {
            Ok(kind) if kind.is_dir() && depth > 0 => collect(&path, depth - 1, files),
            Ok(_) if is_upright_text(&path) => files.push(path),
            _ => {}
        }
    }
}

/// Whether a name is that of a regular face: not bold, italic, condensed or an emoji font.
fn is_upright_text(path: &Path) -> bool {
    const OTHERS: [&str; 14] = [
        "bold",
        "italic",
        "oblique",
        "condensed",
        "black",
        "light",
        "thin",
        "medium",
        "emoji",
        "mono",
        "ui-",
        "display",
        "extra",
        "narrow",
    ];
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let font = [".ttf", ".otf", ".ttc"].iter().any(|extension| name.ends_with(extension));
    font && !OTHERS.iter().any(|other| name.contains(other))
}

/// Rank by name, best first: sans faces suit the bundled ones, and Noto has one for each script.
fn rank(path: &Path) -> u8 {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    match () {
        () if name.starts_with("notosans") => 0,
        () if name.contains("sans") => 1,
        () if name.starts_with("noto") => 2,
        () => 3,
    }
}

/// Whether the font has the character. Reads only the character table, because there may be thousands of
/// files.
fn covers(path: &Path, c: char) -> bool {
    characters(path).is_some_and(|table| {
        cmap::Table::parse(&table).is_some_and(|table| {
            let unicode = table.subtables.into_iter().filter(|subtable| subtable.is_unicode());
            unicode.filter_map(|subtable| subtable.glyph_index(c.into())).any(|glyph| glyph.0 != 0)
        })
    })
}

/// The `cmap` table of the first font in a file (OpenType 1.9, "Organization of an OpenType Font").
fn characters(path: &Path) -> Option<Vec<u8>> {
    let file = File::open(path).ok()?;
    if file.metadata().ok()?.len() > MAX_FILE {
        return None;
    }
    let read = |at: u32, length: u32| {
        let mut bytes = vec![0; length as usize];
        file.read_exact_at(&mut bytes, at.into()).ok()?;
        Some(bytes)
    };
    let number = |bytes: &[u8]| Some(u32::from_be_bytes(bytes.get(..4)?.try_into().ok()?));
    let start = if read(0, 4)? == b"ttcf" { number(&read(12, 4)?)? } else { 0 };
    let count = u32::from(u16::from_be_bytes(read(start.checked_add(4)?, 2)?.try_into().ok()?));
    let directory = read(start.checked_add(12)?, count * 16)?;
    let entry = directory.chunks_exact(16).find(|entry| entry.starts_with(b"cmap"))?;
    let (at, length) = (number(&entry[8..])?, number(&entry[12..])?);
    read(at, Some(length).filter(|length| *length <= MAX_TABLE)?)
}
