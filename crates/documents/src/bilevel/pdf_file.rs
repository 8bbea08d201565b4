//! Fax pages as PDF. They keep their Group 4 compression, so the PDF is as small as the TIFF.

use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str};

use super::Bilevel;
use crate::remarks;

/// Writes pages in order.
pub(crate) struct PdfFile {
    pdf: Pdf,
    pages: Vec<Ref>,
    next: i32,
    /// Font of remarks.
    font: Option<Ref>,
}

const CATALOG: Ref = Ref::new(1);
const TREE: Ref = Ref::new(2);
const PICTURE: Name<'static> = Name(b"Page");
const FONT: Name<'static> = Name(b"Remark");

impl PdfFile {
    pub fn new() -> Self {
        Self { pdf: Pdf::new(), pages: Vec::new(), next: 3, font: None }
    }

    fn id(&mut self) -> Ref {
        let id = Ref::new(self.next);
        self.next += 1;
        id
    }

    /// Adds a page of `size` points, with a remark above it. `None` if it has no pixels.
    pub fn page(&mut self, page: &Bilevel, size: (f32, f32), remark: Option<&str>) -> Option<()> {
        let data = page.group4()?;
        self.draw((page.width, page.height), &data, size, remark);
        Some(())
    }

    /// Adds a page in Group 4 compression: its width and height in pixels, its data, its size in points.
    pub fn compressed(&mut self, pixels: (u32, u32), data: &[u8], size: (f32, f32)) {
        self.draw(pixels, data, size, None);
    }

    fn draw(
        &mut self,
        (across, down): (u32, u32),
        data: &[u8],
        (width, height): (f32, f32),
        remark: Option<&str>,
    ) {
        let font = remark.map(|_| self.font());
        let (id, picture, content) = (self.id(), self.id(), self.id());
        let mut image = self.pdf.image_xobject(picture, data);
        image.filter(Filter::CcittFaxDecode);
        image.width(across as i32).height(down as i32).bits_per_component(1);
        image.color_space().device_gray();
        image.decode_parms().k(-1).columns(across as i32).rows(down as i32);
        image.finish();
        let mut drawing = Content::new();
        if let Some(words) = remark {
            let (x, y) = remarks::PLACE;
            drawing.begin_text().set_font(FONT, remarks::SIZE);
            drawing.next_line(x, height + remarks::BAND - y).show(Str(words.as_bytes())).end_text();
        }
        drawing.transform([width, 0.0, 0.0, height, 0.0, 0.0]).x_object(PICTURE);
        self.pdf.stream(content, &drawing.finish());
        let band = if remark.is_some() { remarks::BAND } else { 0.0 };
        let mut written = self.pdf.page(id);
        written.media_box(Rect::new(0.0, 0.0, width, height + band)).parent(TREE).contents(content);
        let mut resources = written.resources();
        resources.x_objects().pair(PICTURE, picture);
        if let Some(font) = font {
            resources.fonts().pair(FONT, font);
        }
        resources.finish();
        written.finish();
        self.pages.push(id);
    }

    fn font(&mut self) -> Ref {
        if let Some(font) = self.font {
            return font;
        }
        let font = self.id();
        self.pdf.type1_font(font).base_font(Name(b"Helvetica-Bold"));
        self.font = Some(font);
        font
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.pdf.catalog(CATALOG).pages(TREE);
        self.pdf.pages(TREE).count(self.pages.len() as i32).kids(self.pages);
        self.pdf.finish()
    }
}
