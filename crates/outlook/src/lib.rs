//! Outlook's and Exchange's own formats: messages in a container (`winmail.dat`), code pages by number, rich text,
//! compressed and as a container of HTML, and texts of unknown encoding. Bytes in, values out.

pub mod cursor;
pub mod rtf;
pub mod text;
pub mod tnef;

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, ISO_2022_JP, ISO_8859_2, ISO_8859_15, KOI8_R, MACINTOSH,
    SHIFT_JIS, UTF_8, WINDOWS_874, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254,
    WINDOWS_1255, WINDOWS_1256, WINDOWS_1257, WINDOWS_1258,
};

/// The character set of a Windows code page; Windows-1252 for an unknown number.
pub fn code_page(number: u32) -> &'static Encoding {
    match number {
        874 => WINDOWS_874,
        932 => SHIFT_JIS,
        936 => GBK,
        949 => EUC_KR,
        950 => BIG5,
        1250 => WINDOWS_1250,
        1251 => WINDOWS_1251,
        1253 => WINDOWS_1253,
        1254 => WINDOWS_1254,
        1255 => WINDOWS_1255,
        1256 => WINDOWS_1256,
        1257 => WINDOWS_1257,
        1258 => WINDOWS_1258,
        10000 => MACINTOSH,
        20866 => KOI8_R,
        28592 => ISO_8859_2,
        28605 => ISO_8859_15,
        50220..=50222 => ISO_2022_JP,
        51932 => EUC_JP,
        54936 => GB18030,
        65001 => UTF_8,
        _ => WINDOWS_1252,
    }
}
