//! Breached passwords. The operator may install the list of Have I Been Pwned
//! (`pwned-passwords-sha1-ordered-by-hash`): lines with a SHA-1 in hexadecimal digits, a colon and a count, sorted by
//! hash. A few dozen short reads find a line among a billion, and no password leaves the machine.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    path::Path,
};

/// Number of digits of a SHA-1.
const DIGITS: usize = 40;
/// Maximum length of a line in bytes.
const LINE: u64 = 128;

/// Whether a list contains a password.
pub fn holds(file: &Path, password: &str) -> io::Result<bool> {
    let digest = openssl::sha::sha1(password.as_bytes());
    let wanted: String = digest.iter().map(|byte| format!("{byte:02X}")).collect();
    let file = File::open(file)?;
    let end = file.metadata()?.len();
    has_line(&mut BufReader::with_capacity(LINE as usize, file), end, wanted.as_bytes())
}

/// Whether a line begins with a hash. `low` is always the beginning of a line.
fn has_line(list: &mut (impl BufRead + Seek), end: u64, wanted: &[u8]) -> io::Result<bool> {
    let (mut low, mut high) = (0, end);
    while low < high {
        let middle = low + (high - low) / 2;
        let begin = next_line(list, middle)?;
        if begin >= high {
            high = middle;
            continue;
        }
        let mut line = Vec::new();
        list.take(LINE).read_until(b'\n', &mut line)?;
        let hash = line.get(..DIGITS).unwrap_or(&line).to_ascii_uppercase();
        match hash.as_slice().cmp(wanted) {
            std::cmp::Ordering::Equal => return Ok(true),
            std::cmp::Ordering::Less => low = begin + line.len() as u64,
            std::cmp::Ordering::Greater => high = middle,
        }
    }
    Ok(false)
}

/// The first beginning of a line at or after a position.
fn next_line(list: &mut (impl BufRead + Seek), at: u64) -> io::Result<u64> {
    let Some(before) = at.checked_sub(1) else {
        list.seek(SeekFrom::Start(0))?;
        return Ok(0);
    };
    list.seek(SeekFrom::Start(before))?;
    let skipped = list.take(LINE).read_until(b'\n', &mut Vec::new())?;
    Ok(before + skipped as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn list(count: u32, end_of_line: &str) -> (Vec<String>, Vec<u8>) {
        let mut hashes: Vec<String> = (0..count)
            .map(|n| openssl::sha::sha1(&n.to_be_bytes()).iter().map(|byte| format!("{byte:02X}")).collect())
            .collect();
        hashes.sort();
        let lines = hashes.iter().enumerate().map(|(at, hash)| format!("{hash}:{}{end_of_line}", at * 37));
        (hashes.clone(), lines.collect::<String>().into_bytes())
    }

    #[test]
    fn each_line_is_found_and_nothing_else() {
        for end_of_line in ["\n", "\r\n"] {
            let (hashes, bytes) = list(200, end_of_line);
            let (end, mut file) = (bytes.len() as u64, Cursor::new(bytes));
            for hash in &hashes {
                assert!(has_line(&mut file, end, hash.as_bytes()).expect("a list"), "{hash}");
                let other = format!("{}{}", &hash[..DIGITS - 1], if hash.ends_with('0') { '1' } else { '0' });
                let is_listed = hashes.contains(&other);
                assert_eq!(has_line(&mut file, end, other.as_bytes()).expect("a list"), is_listed);
            }
        }
        assert!(!has_line(&mut Cursor::new(Vec::new()), 0, &[b'0'; DIGITS]).expect("an empty list"));
    }

    #[test]
    fn what_is_no_list_holds_nothing() {
        let noise = vec![b'x'; 10_000];
        let end = noise.len() as u64;
        assert!(!has_line(&mut Cursor::new(noise), end, &[b'A'; DIGITS]).expect("no list"));
    }
}
