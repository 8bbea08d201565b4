//! Unpacks a workbook within limits: its parts are measured on the way, so that the library that reads it never meets
//! more than is allowed here.

use super::table::Problem;
use std::io::{self, Cursor, Read, Write};
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

pub const BROKEN: &str = "The file cannot be read. Please save it again, or as CSV.";
pub const TOO_LARGE_INSIDE: &str = "The unpacked workbook is too large. Please save it as CSV.";

/// Maximum size of an unpacked workbook in bytes: 10,000 rows of 40 columns take about 30 MiB.
pub const UNPACKED_MAX: u64 = 48 << 20;
/// Unpacked bytes that are allowed for any workbook, and in addition for each of its packed bytes. Workbooks of
/// spreadsheet programs unpack to 30 times their size.
const UNPACKED_FREE: u64 = 2 << 20;
const RATIO_MAX: u64 = 100;
const PARTS_MAX: usize = 1_000;
/// Maximum number of cells of all sheets, including empty ones.
const CELLS_MAX: u64 = 1_200_000;
/// Maximum number of shared texts: the library keeps all of them in memory.
const STRINGS_MAX: u64 = 500_000;
/// Maximum number of formats, sheets, names and relations, which are kept in memory too.
const HELD_MAX: u64 = 100_000;
/// Maximum number of bytes from one element to the next: a cell has at most 32,767 characters, some written as
/// references.
const RUN_MAX: usize = 256 << 10;

/// Repacks the parts of a workbook without compression.
pub fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, Problem> {
    let broken = |_: zip::result::ZipError| Problem::from(BROKEN);
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    if archive.len() > PARTS_MAX {
        return Err(TOO_LARGE_INSIDE.into());
    }
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut plain = Counted::new(ZipWriter::new(Cursor::new(Vec::new())));
    let mut left = size_max(bytes.len() as u64);
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).map_err(broken)?;
        let name = part.name().to_owned();
        // Only sheets, strings and styles are read, not pictures.
        if !name.ends_with(".xml") && !name.ends_with(".rels") {
            continue;
        }
        plain.begin().start_file(name, stored).map_err(broken)?;
        let read = io::copy(&mut (&mut part).take(left + 1), &mut plain);
        let read = read.map_err(|_| if plain.count.is_over() { TOO_LARGE_INSIDE } else { BROKEN })?;
        left = left.checked_sub(read).ok_or(TOO_LARGE_INSIDE)?;
    }
    Ok(plain.out.finish().map_err(broken)?.into_inner())
}

fn size_max(packed: u64) -> u64 {
    UNPACKED_MAX.min(UNPACKED_FREE + RATIO_MAX * packed)
}

/// Passes data on until a limit is exceeded.
struct Counted<W> {
    out: W,
    count: Count,
}

impl<W> Counted<W> {
    fn new(out: W) -> Self {
        Self { out, count: Count::default() }
    }

    /// Begins another part.
    fn begin(&mut self) -> &mut W {
        self.count.run = 0;
        self.count.name = None;
        &mut self.out
    }
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        bytes.iter().for_each(|byte| self.count.take(*byte));
        if self.count.is_over() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.out.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Counts in the elements of a workbook. Those within comments count too.
#[derive(Default)]
struct Count {
    cells: u64,
    strings: u64,
    held: u64,
    longest_run: usize,
    /// Number of bytes since the last element began.
    run: usize,
    /// The element's name as read so far, without its prefix; `None` outside a name.
    name: Option<Vec<u8>>,
}

/// Length of the longest name that is counted.
const NAME_MAX: usize = 16;

impl Count {
    fn take(&mut self, byte: u8) {
        self.run += 1;
        self.longest_run = self.longest_run.max(self.run);
        if byte == b'<' {
            (self.run, self.name) = (0, Some(Vec::with_capacity(NAME_MAX)));
            return;
        }
        let Some(name) = &mut self.name else { return };
        match byte {
            b':' => name.clear(),
            b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n' => self.end_of_name(),
            _ if name.len() < NAME_MAX => name.push(byte),
            _ => {}
        }
    }

    fn end_of_name(&mut self) {
        match self.name.take().as_deref() {
            Some(b"c") => self.cells += 1,
            Some(b"si") => self.strings += 1,
            Some(b"xf" | b"numFmt" | b"sheet" | b"definedName" | b"Relationship" | b"Override") => {
                self.held += 1
            }
            _ => {}
        }
    }

    fn is_over(&self) -> bool {
        self.cells > CELLS_MAX
            || self.strings > STRINGS_MAX
            || self.held > HELD_MAX
            || self.longest_run > RUN_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(part: &str) -> Count {
        let mut counted = Counted::new(io::sink());
        counted.begin();
        let _ = counted.write_all(part.as_bytes());
        counted.count
    }

    #[test]
    fn cells_and_texts_are_counted_in_whatever_form_they_are_written() {
        let part = "<sst><si><t>a</t></si><x:si/><si\n count='1'></si><c r='A1'/><x:c><v>1</v></x:c><col/><cols/><xf a='>'/></sst>";
        let found = counted(part);
        assert_eq!((found.strings, found.cells, found.held), (3, 2, 1));
    }

    #[test]
    fn too_many_texts_cells_and_formats_are_refused_and_so_is_a_part_without_elements() {
        let times = |element: &str, most: u64| element.repeat(usize::try_from(most).unwrap() + 1);
        for part in [
            times("<si/>", STRINGS_MAX),
            times("<c/>", CELLS_MAX),
            times("<xf/>", HELD_MAX),
            format!("<t>{}</t>", " ".repeat(RUN_MAX)),
        ] {
            assert!(counted(&part).is_over(), "{}", &part[..8]);
        }
        assert!(!counted(&"<c/>".repeat(1_000)).is_over());
    }

    #[test]
    fn a_small_file_unpacks_to_little() {
        assert_eq!((size_max(100 << 10), size_max(10 << 20)), (12_337_152, UNPACKED_MAX));
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        zip.start_file("xl/sharedStrings.xml", SimpleFileOptions::default()).unwrap();
        zip.write_all("<si><t/></si>".repeat(400_000).as_bytes()).unwrap();
        let bomb = zip.finish().unwrap().into_inner();
        assert!(bomb.len() < 100 << 10, "{} bytes", bomb.len());
        assert_eq!(unpacked(&bomb), Err(TOO_LARGE_INSIDE.into()));
    }
}
