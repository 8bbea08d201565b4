//! The providers, one module each.

mod clock;
pub mod efax;
pub mod embedded;
pub mod hylafax;
mod web;
pub mod westfax;
