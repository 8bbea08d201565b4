//! The MLLP listener: passes frames to a [`MessageSink`] and returns its answers before it reads the next frame of
//! the connection.

use crate::mllp::{self, FrameError, Frames};
use admission::Pass;
use async_trait::async_trait;
use openssl::sha::sha256;
use rustls::{
    DigitallySignedStruct, DistinguishedName, ServerConfig, SignatureScheme,
    client::danger::HandshakeSignatureValid,
    crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, UnixTime},
    server::danger::{ClientCertVerified, ClientCertVerifier},
};
use std::{
    net::{IpAddr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite},
    net::{TcpListener, TcpStream},
    time::{Instant, timeout, timeout_at},
};
use tokio_rustls::TlsAcceptor;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Pause after a failed accept (no file handles left), to avoid a busy loop.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Bytes read at a time.
const PIECE: usize = 16 << 10;

/// The sending system.
#[derive(Clone, Debug)]
pub struct Peer {
    pub address: IpAddr,
    /// SHA-256 fingerprint of its certificate, in lower case.
    pub certificate: Option<String>,
}

/// Destination of messages.
#[async_trait]
pub trait MessageSink: Send + Sync + 'static {
    /// Processes a message and returns the answers: none, one acknowledgement or two. An accepted message is durable
    /// by then.
    async fn take(&self, peer: &Peer, frame: Vec<u8>) -> Vec<Vec<u8>>;
    /// Reports a connection that ended because of its peer.
    fn note(&self, _peer: &Peer, _trouble: Trouble) {}
}

/// Why a connection was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    TooLarge,
    TooSlow,
    /// It ended within a message.
    BrokenOff,
    /// No memory for another message of this size.
    NoRoom,
    Handshake,
}

/// Limits for peers.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Largest message, in bytes.
    pub message: usize,
    /// Bytes of all messages being received.
    pub memory: usize,
    /// Longest pause between two messages.
    pub idle: Duration,
    /// Time limits within a message: between two pieces, and for the whole message.
    pub silence: Duration,
    pub whole: Duration,
    pub handshake: Duration,
    /// Time limit for accepting an answer.
    pub answer: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message: 40 << 20,
            memory: 256 << 20,
            idle: Duration::from_secs(3600),
            silence: Duration::from_secs(30),
            whole: Duration::from_secs(300),
            handshake: Duration::from_secs(15),
            answer: Duration::from_secs(30),
        }
    }
}

/// Admits a connection, or refuses it.
pub type Admit = Arc<dyn Fn(IpAddr) -> Option<Pass> + Send + Sync>;
/// The current TLS configuration; none for unencrypted connections.
pub type Tls = Arc<dyn Fn() -> Option<Arc<ServerConfig>> + Send + Sync>;

pub struct MllpServer {
    pub limits: Limits,
    pub tls: Tls,
    pub admit: Admit,
    pub sink: Arc<dyn MessageSink>,
}

struct Shared {
    limits: Limits,
    tls: Tls,
    sink: Arc<dyn MessageSink>,
    memory: AtomicUsize,
}

impl MllpServer {
    /// Accepts connections until `cancel`; a message in progress is answered first.
    pub async fn run(self, listener: TcpListener, cancel: CancellationToken) {
        let Self { limits, tls, admit, sink } = self;
        let shared = Arc::new(Shared { limits, tls, sink, memory: AtomicUsize::default() });
        let tracker = TaskTracker::new();
        loop {
            let accepted = tokio::select! {
                () = cancel.cancelled() => break,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => {
                    let Some(pass) = admit(peer.ip()) else {
                        tracing::warn!(peer = %peer.ip(), "an MLLP connection was turned away: there are too many");
                        continue;
                    };
                    let (shared, cancel) = (shared.clone(), cancel.clone());
                    tracker.spawn(async move {
                        shared.welcome(stream, peer, &cancel).await;
                        drop(pass);
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "an MLLP connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
        drop(listener);
        tracker.close();
        tracker.wait().await;
    }
}

impl Shared {
    async fn welcome(&self, stream: TcpStream, address: SocketAddr, cancel: &CancellationToken) {
        let _ = stream.set_nodelay(true);
        let mut peer = Peer { address: address.ip().to_canonical(), certificate: None };
        let ended = match (self.tls)() {
            None => self.serve(stream, &peer, cancel).await,
            Some(tls) => match timeout(self.limits.handshake, TlsAcceptor::from(tls).accept(stream)).await {
                Ok(Ok(stream)) => {
                    let shown = stream.get_ref().1.peer_certificates();
                    peer.certificate = shown.and_then(|chain| chain.first()).map(fingerprint);
                    self.serve(stream, &peer, cancel).await
                }
                _ => Err(Trouble::Handshake),
            },
        };
        if let Err(trouble) = ended {
            tracing::info!(peer = %peer.address, ?trouble, "an MLLP connection was given up");
            self.sink.note(&peer, trouble);
        }
    }

    async fn serve(
        &self,
        mut stream: impl AsyncRead + AsyncWrite + Unpin,
        peer: &Peer,
        cancel: &CancellationToken,
    ) -> Result<(), Trouble> {
        let mut frames = Frames::default();
        loop {
            let mut room = Room { of: self, bytes: 0 };
            let frame = tokio::select! {
                frame = self.frame(&mut stream, &mut frames, &mut room) => frame?,
                () = cancel.cancelled() => None,
            };
            let Some(frame) = frame else { return Ok(()) };
            let answers = self.sink.take(peer, frame).await;
            drop(room);
            for answer in answers {
                match timeout(self.limits.answer, mllp::write(&mut stream, &answer)).await {
                    Ok(Ok(())) => {}
                    Ok(Err(_)) => return Ok(()),
                    Err(_) => return Err(Trouble::TooSlow),
                }
            }
        }
    }

    /// The next frame; `None` when the peer has closed the connection or stays silent.
    async fn frame(
        &self,
        stream: &mut (impl AsyncRead + Unpin),
        frames: &mut Frames,
        room: &mut Room<'_>,
    ) -> Result<Option<Vec<u8>>, Trouble> {
        let idle = Instant::now() + self.limits.idle;
        let mut whole: Option<Instant> = None;
        let mut piece = vec![0; PIECE];
        loop {
            match frames.next(self.limits.message) {
                Ok(Some(frame)) => return Ok(Some(frame)),
                Ok(None) => {}
                Err(FrameError::TooLarge) => return Err(Trouble::TooLarge),
                Err(_) => return Err(Trouble::BrokenOff),
            }
            if !room.grow(frames.held()) {
                return Err(Trouble::NoRoom);
            }
            let until = if frames.is_inside() {
                let whole = *whole.get_or_insert_with(|| Instant::now() + self.limits.whole);
                whole.min(Instant::now() + self.limits.silence)
            } else {
                idle
            };
            match timeout_at(until, stream.read(&mut piece)).await {
                Ok(Ok(0) | Err(_)) if frames.is_inside() => return Err(Trouble::BrokenOff),
                Ok(Ok(0) | Err(_)) => return Ok(None),
                Ok(Ok(read)) => frames.feed(&piece[..read]),
                Err(_) if frames.is_inside() => return Err(Trouble::TooSlow),
                Err(_) => return Ok(None),
            }
        }
    }
}

/// Memory reserved for a message being received.
struct Room<'a> {
    of: &'a Shared,
    bytes: usize,
}

impl Room<'_> {
    /// Reserves this many bytes, if available.
    fn grow(&mut self, bytes: usize) -> bool {
        let more = bytes.saturating_sub(self.bytes);
        self.bytes += more;
        self.of.memory.fetch_add(more, Relaxed) + more <= self.of.limits.memory
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        self.of.memory.fetch_sub(self.bytes, Relaxed);
    }
}

/// The SHA-256 fingerprint of a certificate, as 64 hexadecimal digits.
pub fn fingerprint(certificate: &CertificateDer<'_>) -> String {
    sha256(certificate).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Requests a client certificate and accepts any, or none: the handshake proves possession of the key, and the
/// fingerprint identifies the client.
#[derive(Debug)]
pub struct AnyClientCertificate(Arc<CryptoProvider>);

impl AnyClientCertificate {
    pub fn verifier() -> Arc<dyn ClientCertVerifier> {
        let provider = CryptoProvider::get_default().cloned();
        let provider = provider.unwrap_or_else(|| Arc::new(rustls::crypto::aws_lc_rs::default_provider()));
        Arc::new(Self(provider))
    }
}

impl ClientCertVerifier for AnyClientCertificate {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mllp::framed;
    use std::sync::Mutex;
    use tokio::io::{AsyncWriteExt, DuplexStream, duplex};

    /// Returns each message.
    #[derive(Default)]
    struct Echo(Mutex<Vec<Trouble>>);

    #[async_trait]
    impl MessageSink for Echo {
        async fn take(&self, _: &Peer, frame: Vec<u8>) -> Vec<Vec<u8>> {
            vec![frame]
        }

        fn note(&self, _: &Peer, trouble: Trouble) {
            self.0.lock().unwrap().push(trouble);
        }
    }

    fn shared(limits: Limits) -> Arc<Shared> {
        Arc::new(Shared {
            limits,
            tls: Arc::new(|| None),
            sink: Arc::new(Echo::default()),
            memory: AtomicUsize::default(),
        })
    }

    /// A connection, and its result.
    fn connected(shared: &Arc<Shared>) -> (DuplexStream, tokio::task::JoinHandle<Result<(), Trouble>>) {
        let (ours, theirs) = duplex(1 << 16);
        let shared = shared.clone();
        let ended = tokio::spawn(async move {
            let peer = Peer { address: [127, 0, 0, 1].into(), certificate: None };
            shared.serve(theirs, &peer, &CancellationToken::new()).await
        });
        (ours, ended)
    }

    fn short() -> Limits {
        let silence = Duration::from_millis(30);
        Limits { message: 100, memory: 150, silence, whole: silence * 4, ..Limits::default() }
    }

    #[tokio::test]
    async fn each_message_of_a_connection_is_answered_in_turn() {
        let shared = shared(Limits::default());
        let (mut stream, ended) = connected(&shared);
        stream.write_all(&[framed(b"MSH|1"), framed(b"MSH|2")].concat()).await.unwrap();
        let mut frames = Frames::default();
        for expected in [b"MSH|1", b"MSH|2"] {
            assert_eq!(frames.read(&mut stream, 100).await.unwrap(), expected);
        }
        drop(stream);
        assert_eq!(ended.await.unwrap(), Ok(()));
        assert_eq!(shared.memory.load(Relaxed), 0);
    }

    #[tokio::test]
    async fn what_is_too_large_or_breaks_off_or_stands_still_ends_its_connection() {
        let shared = shared(short());
        let (mut stream, ended) = connected(&shared);
        stream.write_all(&framed(&[b'x'; 101])).await.unwrap();
        assert_eq!(ended.await.unwrap(), Err(Trouble::TooLarge));
        let (mut stream, ended) = connected(&shared);
        stream.write_all(b"\x0bMSH|").await.unwrap();
        drop(stream);
        assert_eq!(ended.await.unwrap(), Err(Trouble::BrokenOff));
        let (mut stream, ended) = connected(&shared);
        stream.write_all(b"\x0bMSH|").await.unwrap();
        assert_eq!(ended.await.unwrap(), Err(Trouble::TooSlow));
        let (mut stream, ended) = connected(&shared);
        stream.write_all(b"\x0b").await.unwrap();
        while stream.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(ended.await.unwrap(), Err(Trouble::TooSlow), "drop by drop");
        assert_eq!(shared.memory.load(Relaxed), 0);
    }

    #[tokio::test]
    async fn messages_that_arrive_together_have_a_limit_together() {
        let shared =
            shared(Limits { silence: Duration::from_secs(60), whole: Duration::from_secs(60), ..short() });
        let (mut first, _ended) = connected(&shared);
        first.write_all(&[&b"\x0b"[..], &[b'x'; 90]].concat()).await.unwrap();
        while shared.memory.load(Relaxed) < 90 {
            tokio::task::yield_now().await;
        }
        let (mut second, ended) = connected(&shared);
        second.write_all(&[&b"\x0b"[..], &[b'x'; 90]].concat()).await.unwrap();
        assert_eq!(ended.await.unwrap(), Err(Trouble::NoRoom));
    }
}
