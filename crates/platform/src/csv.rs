//! Reports as CSV (RFC 4180).

/// A text that no spreadsheet takes for a formula (OWASP, CSV injection).
pub fn inert(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text.to_owned() }
}

/// The lines as a piece of a file.
pub fn lines<const N: usize>(lines: &[[String; N]]) -> Result<Vec<u8>, std::io::Error> {
    let mut csv = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    for line in lines {
        csv.write_record(line)?;
    }
    csv.into_inner().map_err(|e| e.into_error())
}
