//! What makes the calls: one module for each kind of line.

mod clock;
pub mod efax;
pub mod embedded;
pub mod hylafax;
mod web;
pub mod westfax;
