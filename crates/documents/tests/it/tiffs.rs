//! TIFF files of scanners, cameras and old programs: read correctly or refused, never shown wrongly.

use documents::Kind;
use documents::samples;
use documents::worker::{ConvertError, Input};
use image::{ImageFormat, Rgb, RgbImage};

use crate::support::{converter, tiffcp, visit_note};

/// Width and height in pixels; also the width of tiles.
const SIDE: u32 = 64;
const COLOURS: [[u8; 3]; 4] = [[220, 30, 20], [20, 160, 40], [30, 40, 200], [240, 230, 60]];

/// Colour of a pixel, as an index of the four colours: one for each quarter of the picture.
fn quarter(x: u32, y: u32) -> usize {
    usize::from(x >= SIDE / 2) + 2 * usize::from(y >= SIDE / 2)
}

fn pixels() -> impl Iterator<Item = usize> {
    (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| quarter(x, y)))
}

fn rgb() -> Vec<u8> {
    pixels().flat_map(|quarter| COLOURS[quarter]).collect()
}

/// Value of a tag: a number, or several shorts.
enum Value {
    Number(u32),
    Shorts(Vec<u16>),
}
use Value::{Number, Shorts};

const WIDTH: u16 = 256;
const HEIGHT: u16 = 257;
const BITS: u16 = 258;
const COMPRESSION: u16 = 259;
const PHOTOMETRIC: u16 = 262;
const OFFSETS: u16 = 273;
const SAMPLES: u16 = 277;
const LENGTHS: u16 = 279;
const PLANAR: u16 = 284;
const COLOUR_MAP: u16 = 320;
const EXTRA: u16 = 338;

/// A little-endian file of one page. Its single strip begins at byte 8; there is a strip per plane if the
/// tags say so.
fn tiff(data: &[u8], mut tags: Vec<(u16, Value)>) -> Vec<u8> {
    tags.extend([(WIDTH, Number(SIDE)), (HEIGHT, Number(SIDE))]);
    if tags.iter().any(|(tag, _)| *tag == PLANAR) {
        let strip = (SIDE * SIDE) as u16;
        tags.push((OFFSETS, Shorts((0..3).map(|plane| 8 + plane * strip).collect())));
        tags.push((LENGTHS, Shorts(vec![strip; 3])));
    } else {
        tags.extend([(OFFSETS, Number(8)), (LENGTHS, Number(data.len() as u32))]);
    }
    tags.sort_by_key(|(tag, _)| *tag);
    let directory = 8 + data.len() + data.len() % 2;
    let mut out = [b"II*\0", &(directory as u32).to_le_bytes()[..], data, &[0][..data.len() % 2]].concat();
    let mut beyond = Vec::new();
    let after = directory + 2 + tags.len() * 12 + 4;
    out.extend((tags.len() as u16).to_le_bytes());
    for (tag, value) in tags {
        out.extend(tag.to_le_bytes());
        let (kind, count, value) = match value {
            Number(number) => (4u16, 1, number),
            // A value that fits is stored in the entry itself.
            Shorts(shorts) if shorts.len() == 1 => (3, 1, shorts[0].into()),
            Shorts(shorts) => {
                let at = after + beyond.len();
                beyond.extend(shorts.iter().flat_map(|short| short.to_le_bytes()));
                (3, shorts.len() as u32, at as u32)
            }
        };
        out.extend(kind.to_le_bytes());
        out.extend(count.to_le_bytes());
        out.extend(value.to_le_bytes());
    }
    out.extend([0; 4]);
    out.extend(beyond);
    out
}

fn chunky() -> Vec<u8> {
    let tags = vec![(BITS, Shorts(vec![8; 3])), (PHOTOMETRIC, Number(2)), (SAMPLES, Number(3))];
    tiff(&rgb(), tags)
}

async fn shown(tiff: Vec<u8>) -> Result<RgbImage, ConvertError> {
    let page = converter().render_page(Input::bytes(Kind::Tiff, tiff), 1, 96).await?;
    Ok(image::load_from_memory(&page.png).unwrap().into_rgb8())
}

/// Checks the colour in the middle of each quarter. The picture is at the top of the page, centred.
async fn assert_shown(what: &str, tiff: Vec<u8>) {
    let page = shown(tiff).await.unwrap_or_else(|error| panic!("{what}: {error:?}"));
    let (left, top) = (page.width() / 2 - SIDE / 2, 24);
    for (x, y) in [(16, 16), (48, 16), (16, 48), (48, 48)] {
        let (Rgb(found), wanted) = (*page.get_pixel(left + x, top + y), COLOURS[quarter(x, y)]);
        let close = found.iter().zip(wanted).all(|(&a, b)| a.abs_diff(b) <= 12);
        assert!(close, "{what}: {found:?} instead of {wanted:?} at {x}, {y}");
    }
}

#[tokio::test]
async fn planes_palettes_and_transparency_give_the_right_colours() {
    let three = || (BITS, Shorts(vec![8; 3]));
    let colours = |shift: u32| {
        let part = move |part: usize, size: usize| {
            (0..size).map(move |at| u16::from(COLOURS[at % 4][part]) << shift)
        };
        move |size: usize| (COLOUR_MAP, Shorts((0..3).flat_map(|at| part(at, size)).collect()))
    };
    let planes: Vec<u8> = (0..3).flat_map(|at| pixels().map(move |quarter| COLOURS[quarter][at])).collect();
    let numbers: Vec<u8> = pixels().map(|quarter| quarter as u8).collect();
    let halves: Vec<u8> = numbers.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    let quarters: Vec<u8> =
        numbers.chunks(4).map(|four| four.iter().fold(0, |byte, at| byte << 2 | at)).collect();
    let clear: Vec<u8> =
        pixels().flat_map(|quarter| [COLOURS[quarter].as_slice(), &[255]].concat()).collect();
    let rgb_tags = |more: Vec<(u16, Value)>| {
        let mut tags = vec![(PHOTOMETRIC, Number(2))];
        tags.extend(more);
        tags
    };
    let palette = |bits, map| vec![(PHOTOMETRIC, Number(3)), (BITS, Number(bits)), map];
    assert_shown("pixel by pixel", chunky()).await;
    assert_shown("planes", tiff(&planes, rgb_tags(vec![three(), (SAMPLES, Number(3)), (PLANAR, Number(2))])))
        .await;
    assert_shown("8 bits", tiff(&numbers, palette(8, colours(8)(256)))).await;
    assert_shown("short values", tiff(&numbers, palette(8, colours(0)(256)))).await;
    assert_shown("4 bits", tiff(&halves, palette(4, colours(8)(16)))).await;
    assert_shown("2 bits", tiff(&quarters, palette(2, colours(8)(4)))).await;
    let alpha = vec![(BITS, Shorts(vec![8; 4])), (SAMPLES, Number(4)), (EXTRA, Shorts(vec![2]))];
    assert_shown("opaque", tiff(&clear, rgb_tags(alpha))).await;
}

#[tokio::test]
async fn tiles_planes_and_bit_orders_of_libtiff_are_read() {
    let original = chunky();
    for compression in ["none", "lzw:2", "zip", "packbits", "jpeg"] {
        for layout in [
            &["-t", "-w", "32", "-l", "32"][..],
            &["-p", "separate", "-r", "16"],
            &["-f", "lsb2msb", "-r", "16"],
            &["-r", "16"],
        ] {
            let args = [&["-c", compression], layout].concat();
            if compression == "jpeg" && layout.contains(&"separate") {
                let error = shown(tiffcp(&args, &original)).await.unwrap_err();
                assert!(matches!(error, ConvertError::Broken(_)), "{error:?}");
                continue;
            }
            assert_shown(&args.join(" "), tiffcp(&args, &original)).await;
        }
    }
    // Scans in tiles that extend beyond the page.
    let scan = samples::scanned_tiff(&visit_note());
    let cut = |compression: &'static str| tiffcp(&["-c", compression, "-t", "-w", "256", "-l", "128"], &scan);
    for compression in ["g4", "g3:1d", "zip", "lzw"] {
        let strips = shown(tiffcp(&["-c", compression, "-s"], &scan)).await.unwrap();
        let tiles = shown(cut(compression)).await.unwrap();
        let ink = |page: &RgbImage| page.pixels().filter(|pixel| pixel.0[0] < 128).count();
        let (strips, tiles) = (ink(&strips), ink(&tiles));
        assert!(
            strips > 1_000 && strips.abs_diff(tiles) < strips / 50,
            "{compression}: {tiles} instead of {strips}"
        );
    }
}

#[tokio::test]
async fn withdrawn_jpeg_is_read_from_a_whole_stream_and_refused_otherwise() {
    let mut jpeg = std::io::Cursor::new(Vec::new());
    let picture = RgbImage::from_raw(SIDE, SIDE, rgb()).unwrap();
    picture.write_to(&mut jpeg, ImageFormat::Jpeg).unwrap();
    let jpeg = jpeg.into_inner();
    let tags = |start: u32, length: u32| {
        let stream = vec![(513, Number(start)), (514, Number(length))];
        let common = [
            (BITS, Shorts(vec![8; 3])),
            (COMPRESSION, Number(6)),
            (PHOTOMETRIC, Number(6)),
            (SAMPLES, Number(3)),
        ];
        stream.into_iter().chain(common).collect::<Vec<_>>()
    };
    assert_shown("old JPEG", tiff(&jpeg, tags(8, jpeg.len() as u32))).await;
    let error = shown(tiff(&jpeg, tags(300, 40))).await.unwrap_err();
    assert!(matches!(&error, ConvertError::Broken(why) if why.contains("JPEG")), "{error:?}");
}

#[tokio::test]
async fn what_cannot_be_read_right_is_refused_with_its_reason() {
    let grey =
        |compression| vec![(BITS, Number(8)), (PHOTOMETRIC, Number(1)), (COMPRESSION, Number(compression))];
    let cases = [
        ("old LZW", tiff(&[0, 1, 2, 3, 4, 5, 6, 7], grey(5)), "unusual way"),
        ("unknown compression", tiff(&[1; 64], grey(9)), "unusual way"),
        (
            "floating point",
            tiff(&[0; 64 * 64 * 4], vec![(BITS, Number(32)), (PHOTOMETRIC, Number(1)), (339, Number(3))]),
            "unusual type",
        ),
        ("mask", tiff(&[0; 512], vec![(BITS, Number(1)), (PHOTOMETRIC, Number(4))]), "unusual kind"),
        ("no pages", b"II*\0\x08\0\0\0\0\0".to_vec(), "damaged"),
    ];
    for (what, file, words) in cases {
        let error = shown(file).await.unwrap_err();
        assert!(matches!(&error, ConvertError::Broken(why) if why.contains(words)), "{what}: {error:?}");
    }
}
