//! Properties that must hold for any input: the fuzzer in `fuzz/` calls them, too.

use chrono::DateTime;
use pades::{Faces, Mark, Prepared, Problem, Signing};

const FACES: Faces<'static> = Faces {
    text: include_bytes!("../../../documents/fonts/LiberationSans-Regular.ttf"),
    bold: include_bytes!("../../../documents/fonts/LiberationSans-Bold.ttf"),
    script: include_bytes!("../../../documents/fonts/LiberationSerif-Italic.ttf"),
};

/// A file is refused, or grows at its end, with a hole that takes a signature, and can then be prepared once more.
pub fn prepare(data: &[u8]) -> Result<(), Problem> {
    let what = Signing {
        field: "one".into(),
        mark: Mark::Typed(String::from_utf8_lossy(data.get(..16).unwrap_or_default()).into_owned()),
        name: "Ola Ng".into(),
        role: String::new(),
        organization: "Clinic".into(),
        at: DateTime::UNIX_EPOCH,
        at_text: "1970".into(),
        reason: "Test".into(),
        room: 64,
    };
    let first = pades::prepare(data, &what, &FACES)?;
    let (pdf, hole) = first.clone().into_parts();
    assert!(pdf.starts_with(data) && hole.start > data.len() && hole.len() == 2 * what.room + 2);
    assert!(Prepared::of_parts(data, pdf, hole).is_some());
    let digest = first.digest();
    let finished = first.finish(&[0xab; 64])?;
    let second = pades::prepare(&finished, &Signing { field: "two".into(), ..what }, &FACES)?;
    assert_ne!(second.digest(), digest);
    Ok(())
}
