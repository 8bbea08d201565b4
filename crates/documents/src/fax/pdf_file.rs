//! Fax pages as PDF, still in Group 4 compression, so that they are as small as in the TIFF.

use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref};

use super::Bilevel;

/// Writes pages in order.
pub(crate) struct PdfFile {
    pdf: Pdf,
    pages: Vec<Ref>,
    next: i32,
}

const CATALOG: Ref = Ref::new(1);
const TREE: Ref = Ref::new(2);
const PICTURE: Name<'static> = Name(b"Page");

impl PdfFile {
    pub fn new() -> Self {
        Self { pdf: Pdf::new(), pages: Vec::new(), next: 3 }
    }

    fn id(&mut self) -> Ref {
        let id = Ref::new(self.next);
        self.next += 1;
        id
    }

    /// Adds a page of `size` points. None when it has no pixels.
    pub fn page(&mut self, page: &Bilevel, size: (f32, f32)) -> Option<()> {
        let data = page.group4()?;
        self.compressed((page.width, page.height), &data, size);
        Some(())
    }

    /// Adds a page in Group 4 compression: its pixels across and down, its data, its size in points.
    pub fn compressed(&mut self, (across, down): (u32, u32), data: &[u8], (width, height): (f32, f32)) {
        let (id, picture, content) = (self.id(), self.id(), self.id());
        let mut image = self.pdf.image_xobject(picture, data);
        image.filter(Filter::CcittFaxDecode);
        image.width(across as i32).height(down as i32).bits_per_component(1);
        image.color_space().device_gray();
        image.decode_parms().k(-1).columns(across as i32).rows(down as i32);
        image.finish();
        let mut drawing = Content::new();
        drawing.transform([width, 0.0, 0.0, height, 0.0, 0.0]).x_object(PICTURE);
        self.pdf.stream(content, &drawing.finish());
        let mut written = self.pdf.page(id);
        written.media_box(Rect::new(0.0, 0.0, width, height)).parent(TREE).contents(content);
        written.resources().x_objects().pair(PICTURE, picture);
        written.finish();
        self.pages.push(id);
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.pdf.catalog(CATALOG).pages(TREE);
        self.pdf.pages(TREE).count(self.pages.len() as i32).kids(self.pages);
        self.pdf.finish()
    }
}
