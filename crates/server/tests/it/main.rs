//! The whole application, asked from outside.

mod access;
mod audit;
mod configuration;
mod dashboard;
mod demo;
mod doctor;
mod email;
mod generated;
mod inbox;
mod isolation;
mod kill;
mod letters;
mod notifications;
mod onboarding;
mod passkey;
mod passwords;
mod registration;
mod second_factor;
mod security;
mod serve;
mod sign_in;
mod single_sign_on;
mod subscriptions;
mod trust;
mod users;
mod web;
