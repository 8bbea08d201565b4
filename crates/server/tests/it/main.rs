//! The whole application, asked from outside.

mod access;
mod audit;
mod configuration;
mod demo;
mod doctor;
mod email;
mod generated;
mod isolation;
mod kill;
mod serve;
mod sign_in;
mod trust;
mod web;
