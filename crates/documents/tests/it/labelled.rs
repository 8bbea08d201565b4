//! Measures the extraction of patients on documents with known details.

use crate::support::converter;
use documents::ocr;
use documents::samples::{Labelled, Medium, Score, labelled};
use documents::worker::Input;

/// Number of scans in this test; `script/bench --only reading` reads all of them.
const SCANS: usize = 3;

async fn score(documents: &[Labelled], medium: Medium) -> Score {
    let converter = converter();
    let mut score = Score::default();
    for document in documents {
        let (kind, content) = document.file(medium);
        let read = converter.patient(Input::bytes(kind, content)).await.expect("a document that can be read");
        let before = score;
        score.add(&document.says, &read);
        if score.right - before.right < score.said - before.said || score.invented > before.invented {
            println!("{medium:?}, {}: says {:?}, read {read:?}", document.layout, document.says);
        }
    }
    println!("{medium:?}: {:.1} % of {} fields, {} invented", score.percent(), score.said, score.invented);
    score
}

#[tokio::test]
async fn what_documents_with_text_say_of_the_patient_is_read_and_nothing_else() {
    let score = score(&labelled(), Medium::Text).await;
    assert!(score.percent() >= Medium::Text.aim(), "{score:?}");
    assert_eq!(score.invented, 0);
}

#[tokio::test]
async fn scans_and_faxes_are_read_where_tesseract_is_installed() {
    let documents = labelled();
    // Minimum results in percent, so that today's level is kept. The aims are higher.
    for (medium, reached) in [(Medium::Scan, 60.0), (Medium::Fax, 30.0)] {
        let score = score(&documents[..SCANS], medium).await;
        if ocr::is_installed() {
            assert!(score.percent() >= reached, "{score:?}");
        } else {
            assert_eq!(score.right, 0);
        }
        assert_eq!(score.invented, 0);
    }
}
