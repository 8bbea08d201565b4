//! Files in which the malware scanner found something, for operators: nobody can open them until they are released.

pub mod http;
mod queries;
