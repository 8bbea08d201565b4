//! clinical
