//! Limits of the reader, so that no file can exhaust memory or the stack.

use roxmltree::Document;

use super::error::CdaError;

/// Largest file that is read, in bytes.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;
/// Deepest nesting of elements that is read. Real documents stay below 40.
pub const MAX_DEPTH: usize = 200;
/// Most XML nodes (elements, texts, comments) that are read.
pub const MAX_NODES: u32 = 2_000_000;

/// Protects the recursive readers from deep nesting. Nodes come in document order, parents first.
pub(super) fn check_depth(xml: &Document<'_>) -> Result<(), CdaError> {
    let mut depth: Vec<u16> = Vec::new();
    for node in xml.descendants() {
        let above = node.parent().map_or(0, |parent| depth[parent.id().get_usize()]);
        if usize::from(above) > MAX_DEPTH {
            return Err(CdaError::TooDeep);
        }
        depth.push(above + 1);
    }
    Ok(())
}
