//! Keys, fonts, files and programs of the tests.

use chrono::{TimeZone, Utc};
use openssl::{
    asn1::Asn1Time,
    bn::BigNum,
    hash::MessageDigest,
    nid::Nid,
    pkey::{PKey, Private},
    rsa::Rsa,
    x509::{
        X509, X509Builder, X509NameBuilder,
        extension::{BasicConstraints, ExtendedKeyUsage, KeyUsage},
    },
};
use pades::{Faces, Identity, Mark, Signing};
use std::{path::PathBuf, process::Command, sync::LazyLock};

pub const FACES: Faces<'static> = Faces {
    text: include_bytes!("../../../documents/fonts/LiberationSans-Regular.ttf"),
    bold: include_bytes!("../../../documents/fonts/LiberationSans-Bold.ttf"),
    script: include_bytes!("../../../documents/fonts/LiberationSerif-Italic.ttf"),
};

/// An authority, and a certificate that it issued for signing.
pub struct Keys {
    pub authority: X509,
    pub certificate: X509,
    pub key: PKey<Private>,
}

pub static KEYS: LazyLock<Keys> = LazyLock::new(|| {
    let (root, authority) = certificate("Test Authority", None, &[]);
    let (key, certificate) = certificate("Riverside Clinic", Some((&root, &authority)), &[DOCUMENTS]);
    Keys { authority, certificate, key }
});

/// id-kp-documentSigning (RFC 9336).
const DOCUMENTS: &str = "1.3.6.1.5.5.7.3.36";

pub fn identity() -> Identity {
    let der = KEYS.certificate.to_der().unwrap();
    Identity::new(&der, &[], &KEYS.key.private_key_to_pkcs8().unwrap()).unwrap()
}

pub fn certificate(
    name: &str,
    issuer: Option<(&PKey<Private>, &X509)>,
    purposes: &[&str],
) -> (PKey<Private>, X509) {
    let key = PKey::from_rsa(Rsa::generate(2048).unwrap()).unwrap();
    let mut subject = X509NameBuilder::new().unwrap();
    subject.append_entry_by_nid(Nid::COMMONNAME, name).unwrap();
    let subject = subject.build();
    let mut builder = X509Builder::new().unwrap();
    builder.set_version(2).unwrap();
    let serial = BigNum::from_u32(std::process::id() + u32::from(issuer.is_some()) * 7).unwrap();
    builder.set_serial_number(&serial.to_asn1_integer().unwrap()).unwrap();
    builder.set_subject_name(&subject).unwrap();
    builder.set_issuer_name(issuer.map_or(&*subject, |(_, of)| of.subject_name())).unwrap();
    builder.set_not_before(&Asn1Time::days_from_now(0).unwrap()).unwrap();
    builder.set_not_after(&Asn1Time::days_from_now(30).unwrap()).unwrap();
    builder.set_pubkey(&key).unwrap();
    let mut usage = KeyUsage::new();
    match issuer {
        None => {
            builder.append_extension(BasicConstraints::new().critical().ca().build().unwrap()).unwrap();
            usage.key_cert_sign();
        }
        Some(_) => {
            usage.digital_signature().non_repudiation();
        }
    }
    builder.append_extension(usage.critical().build().unwrap()).unwrap();
    if !purposes.is_empty() {
        let mut usage = ExtendedKeyUsage::new();
        for purpose in purposes {
            usage.other(purpose);
        }
        if purposes.contains(&"timeStamping") {
            usage.critical();
        }
        builder.append_extension(usage.build().unwrap()).unwrap();
    }
    builder.sign(issuer.map_or(&*key, |(key, _)| key), MessageDigest::sha256()).unwrap();
    (key, builder.build())
}

pub fn signing(field: &str, name: &str) -> Signing {
    Signing {
        field: field.into(),
        mark: Mark::Typed(name.into()),
        name: name.into(),
        role: "Physician".into(),
        organization: "Riverside Clinic".into(),
        at: Utc.with_ymd_and_hms(2026, 11, 25, 15, 4, 5).unwrap(),
        at_text: "Nov 25, 2026, 10:04 AM EST".into(),
        reason: "Signature requested by Ola Ng".into(),
        room: identity().room(),
    }
}

pub fn signed(pdf: &[u8], what: &Signing) -> Vec<u8> {
    pades::sign(pdf, what, &FACES, &identity(), |_| Ok(None)).unwrap()
}

/// A PDF of two pages, written by `mutool`, encrypted if options say so.
pub fn paper(options: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (page, first, second) = (path("page.txt"), path("first.pdf"), path("second.pdf"));
    let content = "%%MediaBox 0 0 612 792\n%%Font F Helvetica\nBT /F 12 Tf 72 700 Td (Visit note) Tj ET\n";
    std::fs::write(&page, content).unwrap();
    let run = |arguments: &[&str]| {
        assert!(Command::new("mutool").args(arguments).status().expect("mutool is installed").success());
    };
    run(&["create", "-o", &first, &page, &page]);
    if options.is_empty() {
        return std::fs::read(first).unwrap();
    }
    let arguments = ["clean"].into_iter().chain(options.split(' ')).chain([&*first, &*second]);
    run(&arguments.collect::<Vec<_>>());
    std::fs::read(second).unwrap()
}

/// A PDF with a nested page tree whose pages inherit, a form (8) and its fields (7), and more entries in the catalog.
pub fn book(catalog: &str) -> Vec<u8> {
    let content = "BT /F 12 Tf 20 100 Td (Visit note) Tj ET";
    let objects = [
        format!("<</Type/Catalog/Pages 2 0 R{catalog}>>"),
        "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 200 200]/Rotate 90/Resources<</Font<</F 6 0 R>>>>>>"
            .into(),
        "<</Type/Pages/Parent 2 0 R/Kids[4 0 R]/Count 1>>".into(),
        "<</Type/Page/Parent 3 0 R/Contents 5 0 R>>".into(),
        format!("<</Length {}>>stream\n{content}\nendstream", content.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".into(),
        "[9 0 R]".into(),
        "<</Fields[9 0 R]>>".into(),
        "<</FT/Tx/T(Name)/V(Ola)>>".into(),
    ];
    let mut file = String::from("%PDF-1.5\n");
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (index, object) in objects.iter().enumerate() {
        table += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{} 0 obj\n{object}\nendobj\n", index + 1);
    }
    let at = file.len();
    file += &table;
    file += &format!("trailer\n<</Size {}/Root 1 0 R>>\nstartxref\n{at}\n%%EOF", objects.len() + 1);
    file.into_bytes()
}

/// A PDF whose catalog and page tree are in an object stream, with its cross references in a stream.
pub fn book_in_streams() -> Vec<u8> {
    let inside = ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>"];
    let head = format!("1 0 2 {} ", inside[0].len() + 1);
    let content = "BT /F 12 Tf 20 100 Td (Visit note) Tj ET";
    let font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>";
    let page = format!(
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 5 0 R/Resources<</Font<</F {font}>>>>>>"
    );
    let stream = |entries: &str, content: &str| {
        format!("<<{entries}/Length {}>>stream\n{content}\nendstream", content.len())
    };
    let packed =
        stream(&format!("/Type/ObjStm/N 2/First {}", head.len()), &(head.clone() + &inside.join(" ")));
    let mut file = b"%PDF-1.5\n".to_vec();
    // Free, in the stream, in the stream, and four offsets.
    let mut entries = vec![0, 0, 0, 0, 2, 0, 4, 0, 2, 0, 4, 1];
    for (number, object) in [(3, &*page), (4, &*packed), (5, &*stream("", content))] {
        entries.extend([1, (file.len() >> 8) as u8, file.len() as u8, 0]);
        file.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    let at = file.len();
    entries.extend([1, (at >> 8) as u8, at as u8, 0]);
    let head = format!("6 0 obj\n<</Type/XRef/Size 7/Root 1 0 R/W[1 2 1]/Length {}>>stream\n", entries.len());
    file.extend(head.bytes().chain(entries));
    file.extend(format!("\nendstream\nendobj\nstartxref\n{at}\n%%EOF\n").bytes());
    file
}

/// What a program says about a file, which `{}` names.
pub fn peer(program: &str, arguments: &[&str], bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file.pdf");
    std::fs::write(&file, bytes).unwrap();
    let arguments = arguments.iter().map(|part| part.replace("{}", file.to_str().unwrap()));
    let done =
        Command::new(program).args(arguments).output().unwrap_or_else(|_| panic!("{program} is missing"));
    format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr))
}

/// How many signatures of a file `pdfsig` finds valid, and how many there are.
pub fn validity(pdf: &[u8]) -> (usize, usize) {
    let said = peer("pdfsig", &["-nocert", "{}"], pdf);
    (said.matches("Signature is Valid.").count(), said.matches("Signature Validation:").count())
}

/// Files of public collections, if they are at hand.
pub fn collection() -> Vec<PathBuf> {
    let Ok(folder) = std::env::var("CAREPOST_TEST_DATA") else {
        eprintln!("skipped: CAREPOST_TEST_DATA is not set");
        return Vec::new();
    };
    let files = std::fs::read_dir(PathBuf::from(folder).join("pdf")).expect("a folder of PDF files");
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "pdf"));
    files.sort();
    files
}
