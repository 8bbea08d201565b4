//! Unpacks a workbook within limits: its parts are counted on the way, so that the library that reads it meets no more than
//! was measured here.

use super::table::Problem;
use std::io::{self, Cursor, Read, Write};
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

pub const BROKEN: &str = "The file cannot be read. Please save it again, or as CSV.";
pub const TOO_LARGE_INSIDE: &str = "The workbook is too large once it is unpacked. Please save it as CSV.";

/// What a workbook may unpack to: 10,000 rows of 40 columns take some 30 MiB.
pub const UNPACKED_MAX: u64 = 48 << 20;
/// What a workbook may unpack to whatever its size, and further for each of its bytes. Those of spreadsheets unpack to 30
/// times their size.
const UNPACKED_FREE: u64 = 2 << 20;
const RATIO_MAX: u64 = 100;
const PARTS_MAX: usize = 1_000;
/// Cells of all sheets, empty ones too.
const CELLS_MAX: u64 = 1_200_000;
/// Texts that cells share: the library holds all of them.
const STRINGS_MAX: u64 = 500_000;
/// Formats, sheets, names and relations, which it holds too.
const HELD_MAX: u64 = 100_000;
/// From one element to the next: a cell has 32,767 characters at most, some of which are written as references.
const RUN_MAX: usize = 256 << 10;

/// The parts of a workbook packed anew without compression.
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
        // Sheets, strings and styles; pictures are not looked at.
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

/// Passes on what is written until there is too much of anything in it.
struct Counted<W> {
    out: W,
    count: Count,
}

impl<W> Counted<W> {
    fn new(out: W) -> Self {
        Self { out, count: Count::default() }
    }

    /// Another part begins.
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

/// How much of what there is in the elements of a workbook. What stands in comments counts too.
#[derive(Default)]
struct Count {
    cells: u64,
    strings: u64,
    held: u64,
    longest_run: usize,
    /// Bytes since an element began.
    run: usize,
    /// The name of an element as far as it was read, without its prefix; none outside of a name.
    name: Option<Vec<u8>>,
}

/// No name that counts is longer.
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
