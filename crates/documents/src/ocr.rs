//! Text recognition of scanned pages with Tesseract, if installed: in a confined process, one page at a time.
//! See [`crate::worker`].

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use image::imageops::{self, FilterType};
use image::{GrayImage, ImageFormat};

use crate::limits::Limits;
use crate::places::{Area, PlacedText};
use crate::{deskew, pdf};

const PLACES: [&str; 2] = ["/usr/bin/tesseract", "/usr/local/bin/tesseract"];

/// Limits of one page. Tesseract maps its language data into memory.
pub(crate) const LIMITS: Limits = Limits {
    wall: Duration::from_secs(90),
    cpu: Duration::from_secs(40),
    memory: 2 << 30,
    input: 64 << 20,
    output: 4 << 20,
};

/// Pixels per inch at which pages without a scanned picture are drawn.
pub(crate) const DPI: u32 = 300;
/// Number of pages that are read. The patient is named on one of the first pages.
pub(crate) const PAGES_MAX: u32 = 3;

/// Settings of one reading of a page.
#[derive(Debug, Clone, Copy)]
struct Look {
    /// Page segmentation mode: by layout (3) or sparse text (11). Which one is better for forms with lines
    /// varies.
    mode: &'static str,
    /// Pixels per inch. The models were trained at 300.
    dpi: u16,
    /// Blur radius in pixels: jagged letters are misread.
    softness: f32,
    filter: FilterType,
}

/// The readings of a page. Different settings seldom make the same mistake. Each reading is one run of the
/// program.
const LOOKS: [Look; 5] = [
    Look { mode: "3", dpi: 300, softness: 0.0, filter: FilterType::Lanczos3 },
    Look { mode: "3", dpi: 300, softness: 1.0, filter: FilterType::Nearest },
    Look { mode: "3", dpi: 400, softness: 1.5, filter: FilterType::Lanczos3 },
    Look { mode: "11", dpi: 300, softness: 1.0, filter: FilterType::Lanczos3 },
    Look { mode: "11", dpi: 400, softness: 1.5, filter: FilterType::Triangle },
];
/// Minimum confidence for a word to be sure, in percent.
const CONFIDENCE_MIN: f32 = 50.0;
/// Minimum confidence for a word with digits: a misread date looks as valid as the right one.
const CONFIDENCE_OF_DIGITS_MIN: f32 = 70.0;
/// Words of forms. A word that reads like one of them is sure at any confidence.
const KNOWN: [&str; 18] = [
    "birth",
    "birthdate",
    "date",
    "dob",
    "female",
    "first",
    "gender",
    "given",
    "last",
    "male",
    "middle",
    "mrn",
    "name",
    "of",
    "patient",
    "phone",
    "sex",
    "surname",
];
/// Minimum skew for straightening a page, in radians (one degree): the program follows slightly skewed lines,
/// and turning blurs the letters.
const LEAN_MIN: f32 = 0.0175;
/// Maximum height of a word of running text, in pixels. Taller ones are headings or not words.
const TALL_MAX: f32 = 80.0;
/// Marks both ends of an unsure word.
const UNSURE: char = '\u{fffd}';

/// Path of the program, if installed. Determined once.
pub(crate) fn program() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(|| PLACES.iter().map(PathBuf::from).find(|path| path.is_file())).as_deref()
}

/// Whether scanned pages can be read on this node.
pub fn is_installed() -> bool {
    program().is_some()
}

/// Reads the picture of a page, of `dpi` pixels per inch across and down, with each of [`LOOKS`]. The folder
/// is empty and the only writable one. Call it in a confined process: the program inherits the confinement.
pub(crate) fn read(
    program: &Path,
    folder: &Path,
    png: &[u8],
    dpi: (f32, f32),
) -> io::Result<Vec<PlacedText>> {
    let page =
        image::load_from_memory_with_format(png, ImageFormat::Png).map_err(io::Error::other)?.into_luma8();
    let measured = stretched(&page, dpi, DPI as u16, FilterType::Triangle);
    // Modes that expect straight lines recognize more of a straightened page.
    let found = pdf::guarded(|| deskew::lean(&measured)).flatten();
    let lean = found.filter(|angle| angle.abs() >= LEAN_MIN);
    let slope = if lean.is_none() { found.unwrap_or_default().tan() } else { 0.0 };
    let look = |(number, look): (usize, &Look)| {
        let picture = stretched(&page, dpi, look.dpi, look.filter);
        let picture = lean.map(|angle| deskew::turned_back(&picture, angle)).unwrap_or(picture);
        let picture = if look.softness > 0.0 { imageops::blur(&picture, look.softness) } else { picture };
        let file = folder.join(format!("page-{number}.png"));
        picture.save(&file).map_err(io::Error::other)?;
        read_as(program, folder, &file, look, (lean, slope))
    };
    LOOKS.iter().enumerate().map(look).collect()
}

/// The page with square pixels: those of faxes may be twice as high as wide.
fn stretched(page: &GrayImage, (across, down): (f32, f32), dpi: u16, filter: FilterType) -> GrayImage {
    let side = |side: u32, fineness: f32| {
        let wanted = side as f32 * f32::from(dpi) / fineness.max(1.0);
        wanted.round().clamp(1.0, pdf::MAX_SIDE) as u32
    };
    let size = (side(page.width(), across), side(page.height(), down));
    if size == page.dimensions() { page.clone() } else { imageops::resize(page, size.0, size.1, filter) }
}

/// Reads a picture that was straightened by an angle, or whose lines have a slope. Positions refer to the
/// original page.
fn read_as(
    program: &Path,
    folder: &Path,
    picture: &Path,
    look: &Look,
    (lean, slope): (Option<f32>, f32),
) -> io::Result<PlacedText> {
    let out = picture.with_extension("");
    let status = Command::new(program)
        .arg(picture)
        .arg(&out)
        .args(["--psm", look.mode, "--dpi", &look.dpi.to_string(), "-l", "eng", "tsv"])
        .env_clear()
        .envs([("HOME", folder), ("TMPDIR", folder)])
        // A single thread, because capacity is counted in processes.
        .envs([("OMP_THREAD_LIMIT", "1"), ("LANG", "C.UTF-8"), ("PATH", "/usr/bin:/bin")])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    if !status.success() {
        return Err(io::Error::other("Tesseract could not read the page"));
    }
    let tsv = std::fs::read(out.with_extension("tsv"))?;
    let tsv = String::from_utf8_lossy(&tsv);
    let mut read = text(&tsv, slope);
    if let (Some(angle), Some((width, height))) = (lean, tsv.lines().find_map(page_size)) {
        for place in &mut read.places {
            place.area = deskew::as_it_lay(place.area, angle, (width as f32, height as f32));
        }
    }
    Ok(read)
}

/// A word on a page; lengths in pixels.
#[derive(Debug)]
struct Word<'a> {
    left: f32,
    top: f32,
    width: f32,
    height: f32,
    /// Confidence, 0 to 1.
    confidence: f32,
    text: Cow<'a, str>,
}

impl Word<'_> {
    /// Height of the middle of the word on a page whose lines have this slope.
    fn middle(&self, slope: f32) -> f32 {
        self.top + self.height / 2.0 - (self.left + self.width / 2.0) * slope
    }

    fn is_sure(&self) -> bool {
        !self.text.starts_with(UNSURE)
    }

    fn area(&self, page: (f64, f64)) -> Option<Area> {
        let [left, top, width, height] = [self.left, self.top, self.width, self.height].map(f64::from);
        Area::between((left, top), (left + width, top + height), page)
    }
}

/// A text with its unsure words, without their marks.
pub(crate) fn with_unsure(text: &str) -> String {
    text.replace(UNSURE, "")
}

/// A text without its unsure words.
pub(crate) fn without_unsure(text: &str) -> String {
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').filter(|word| !word.starts_with(UNSURE)).collect();
        words.join(" ")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Joins the words of the program's TSV table to lines, from top to bottom, on a page whose lines have this
/// `slope`. Columns are separated by two blanks. Public for the fuzz target.
#[doc(hidden)]
pub fn text(tsv: &str, slope: f32) -> PlacedText {
    let page = tsv.lines().find_map(page_size);
    let mut words: Vec<Word<'_>> = tsv.lines().filter_map(word).collect();
    let usual = usual_height(&words);
    // The program also reads the ruled lines of forms as words with a low confidence.
    words.retain(|word| word.is_sure() || (word.height < 2.0 * usual && word.height > 0.4 * usual));
    words.sort_by(|a, b| a.middle(slope).total_cmp(&b.middle(slope)));
    let mut lines: Vec<Vec<Word<'_>>> = Vec::new();
    for word in words {
        let stands_in = |line: &[Word<'_>]| {
            let first = line.first().map_or(f32::MIN, |first| first.middle(slope));
            word.middle(slope) - first < 0.6 * usual
        };
        match lines.last_mut().filter(|line| stands_in(line)) {
            Some(line) => line.push(word),
            None => lines.push(vec![word]),
        }
    }
    let mut out = PlacedText::default();
    for (index, words) in lines.into_iter().enumerate() {
        if index > 0 {
            out.text.push('\n');
        }
        line(&mut out, words, page);
    }
    out
}

/// Median height of the sure words.
fn usual_height(words: &[Word<'_>]) -> f32 {
    let mut heights: Vec<f32> = words.iter().filter(|word| word.is_sure()).map(|word| word.height).collect();
    heights.sort_by(f32::total_cmp);
    heights.get(heights.len() / 2).copied().unwrap_or(TALL_MAX)
}

fn line(out: &mut PlacedText, mut words: Vec<Word<'_>>, page: Option<(f64, f64)>) {
    words.sort_by(|a, b| a.left.total_cmp(&b.left));
    // The tallest word is the measure: words of small letters are lower than the line, and typewriter blanks
    // are wide.
    let tall = words.iter().map(|word| word.height).fold(0.0, f32::max).min(TALL_MAX);
    let mut end = None;
    for word in &words {
        if let Some(end) = end {
            out.text.push_str(if word.left - end > 1.2 * tall { "  " } else { " " });
        }
        out.push(&word.text, page.and_then(|page| word.area(page)), word.confidence);
        end = Some(word.left + word.width);
    }
}

/// Width and height of the picture, from its row of the table.
fn page_size(row: &str) -> Option<(f64, f64)> {
    let columns: Vec<&str> = row.splitn(12, '\t').collect();
    let ["1", _, _, _, _, _, _, _, width, height, ..] = columns[..] else { return None };
    Some((width.parse().ok()?, height.parse().ok()?))
}

/// Parses a row of the table: level, page, block, paragraph, line, word, left, top, width, height,
/// confidence, text.
fn word(row: &str) -> Option<Word<'_>> {
    let columns: Vec<&str> = row.splitn(12, '\t').collect();
    let [level, _, _, _, _, _, left, top, width, height, confidence, text] = columns[..] else { return None };
    if level != "5" {
        return None;
    }
    // Ruled lines of a form are read as signs at the ends of words.
    let text =
        text.trim().trim_matches(['|', '_', '‘', '’', '“', '”', '—', '«', '»', '~', '[', ']', '{', '}']);
    if !text.chars().any(char::is_alphanumeric) {
        return None;
    }
    let bare = text.trim_end_matches(['.', ',', '-']);
    let is_known = KNOWN.contains(&bare.trim_end_matches(':').to_lowercase().as_str());
    let text = if is_known { bare } else { text };
    let has_digits = text.chars().any(|c| c.is_ascii_digit());
    let needed = if has_digits { CONFIDENCE_OF_DIGITS_MIN } else { CONFIDENCE_MIN };
    let confidence: f32 = confidence.parse().unwrap_or_default();
    let is_sure = is_known || confidence >= needed;
    Some(Word {
        left: left.parse().ok()?,
        top: top.parse().ok()?,
        width: width.parse().ok()?,
        height: height.parse().ok()?,
        confidence: (confidence / 100.0).clamp(0.0, 1.0),
        text: if is_sure { text.into() } else { format!("{UNSURE}{text}{UNSURE}").into() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_lines_with_columns_and_what_is_not_sure_is_no_word() {
        let row = |left: u32, top: u32, width: u32, confidence: u32, text: &str| {
            format!("5\t1\t1\t1\t1\t1\t{left}\t{top}\t{width}\t40\t{confidence}\t{text}\n")
        };
        let tsv = [
            "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n"
                .to_owned(),
            "1\t1\t0\t0\t0\t0\t0\t0\t2000\t1000\t-1\t\n".to_owned(),
            row(900, 104, 200, 96, "Female"),
            row(100, 100, 140, 95, "Patient"),
            row(400, 102, 200, 93, "|TENNEY,"),
            row(610, 102, 180, 90, "MARISOL"),
            row(850, 103, 4, 60, "|"),
            row(100, 200, 80, 96, "DOB"),
            row(400, 203, 200, 20, "03/1a/1961"),
            row(900, 203, 60, 8, "Sex."),
        ];
        let read = text(&tsv.concat(), 0.0);
        assert_eq!(read.text, "Patient  TENNEY, MARISOL  Female\nDOB  \u{fffd}03/1a/1961\u{fffd}  Sex");
        let (area, confidence) = read.found(&(9..24)).expect("the name has its place");
        let is_near = |share: f32, wanted: f32| (share - wanted).abs() < 0.001;
        assert!(
            is_near(area.left, 0.2) && is_near(area.top, 0.102) && is_near(area.width, 0.195),
            "{area:?}"
        );
        assert_eq!(confidence, 0.9);
    }
}
