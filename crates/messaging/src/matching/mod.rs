//! Matching documents to patients: doubts where documents and sender disagree ([`whose`]), and known patients who
//! certainly match ([`link`]).

pub mod link;
pub mod whose;
