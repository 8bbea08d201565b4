//! direct
