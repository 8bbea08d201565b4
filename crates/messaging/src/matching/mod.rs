//! Whose a document is: the doubt where documents and their sender do not agree ([`whose`]), and the known patient who
//! certainly is meant ([`link`]).

pub mod link;
pub mod whose;
