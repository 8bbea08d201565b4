//! A malware scanner for tests.

use crate::Options;
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
};

/// The harmless test file that every scanner detects. In two pieces, so that it is not detected here.
pub fn eicar() -> Vec<u8> {
    let halves = [r"X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD", "-ANTIVIRUS-TEST-FILE!$H+H*"];
    halves.concat().into_bytes()
}

/// A daemon with the protocol of clamd that detects one file.
#[derive(Clone)]
pub struct Clamd {
    pub address: SocketAddr,
    /// Whether it is up; otherwise it accepts connections and stays silent.
    pub is_up: Arc<AtomicBool>,
    /// Whether it detects the test file.
    pub knows: Arc<AtomicBool>,
}

impl Clamd {
    /// A daemon that is up and detects the test file.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let clamd = Self { address, is_up: Arc::new(true.into()), knows: Arc::new(true.into()) };
        let here = clamd.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if here.is_up.load(SeqCst) {
                    let _ = here.serve(stream);
                }
            }
        });
        clamd
    }

    /// Options of a test application that uses it.
    pub fn options(&self) -> Options {
        let address = self.address.to_string();
        let configure = move |config: &mut platform::Config| config.malware.clamd = Some(address.clone());
        Options { configure: Some(Box::new(configure)), ..Options::default() }
    }

    fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let mut command = Vec::new();
        while command.last() != Some(&0) {
            let mut byte = [0];
            stream.read_exact(&mut byte)?;
            command.push(byte[0]);
        }
        assert_eq!(command, b"zINSTREAM\0");
        let mut content = Vec::new();
        loop {
            let mut length = [0; 4];
            stream.read_exact(&mut length)?;
            match u32::from_be_bytes(length) as usize {
                0 => break,
                length => {
                    let mut piece = vec![0; length];
                    stream.read_exact(&mut piece)?;
                    content.extend(piece);
                }
            }
        }
        let eicar = eicar();
        let is_found = self.knows.load(SeqCst) && content.windows(eicar.len()).any(|part| part == eicar);
        let answer: &[u8] = if is_found { b"stream: Eicar-Test-Signature FOUND\0" } else { b"stream: OK\0" };
        stream.write_all(answer)
    }
}
