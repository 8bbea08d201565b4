//! Accepts connections, with or without TLS, and passes their requests to the service.

use super::WebService;
use admission::Pass;
use axum::{
    BoxError,
    body::{Body, Bytes, HttpBody},
    extract::{ConnectInfo, Request},
};
use direct::smtp::server::TlsSlot;
use hyper::body::Incoming;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{
        conn::auto::Builder,
        graceful::{GracefulShutdown, Watcher},
    },
    service::TowerToHyperService,
};
use messaging::interfaces::{listener::fingerprint, xdr::ClientCertificate};
use platform::App;
use std::{
    io::{self, IoSlice},
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    time::timeout,
};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;
use tower_http::timeout::TimeoutBody;

const HANDSHAKE: Duration = Duration::from_secs(10);
/// Time limit for the start of a connection's first request.
const FIRST: Duration = Duration::from_secs(20);
/// Time limit for a request's headers, and for the next request of a connection.
const HEAD: Duration = Duration::from_secs(60);
/// Time for which a request's body may stall; a slow one may take any time.
const BODY: Duration = Duration::from_secs(60);
/// Time for running requests to finish when the node stops.
const GRACE: Duration = Duration::from_secs(10);
/// Pause after an error of the listening socket (such as too many open files).
const REST: Duration = Duration::from_millis(200);

/// Serves until cancelled, then lets running requests finish.
pub async fn serve(
    listener: TcpListener,
    tls: Option<TlsSlot>,
    service: WebService,
    app: App,
    cancel: CancellationToken,
) {
    let graceful = GracefulShutdown::new();
    while let Some((stream, peer)) = next(&listener, &cancel).await {
        // A client with too many connections gets no further details.
        let Ok(pass) = app.health.http.enter(peer.ip()) else { continue };
        let connection = Connection {
            peer,
            service: service.clone(),
            tls: tls.as_ref().and_then(TlsSlot::get),
            watcher: graceful.watcher(),
        };
        tokio::spawn(connection.take(Held { stream, _pass: pass }));
    }
    drop(listener);
    if timeout(GRACE, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests that did not finish in time were cancelled");
    }
}

/// The next connection; `None` when the node stops.
async fn next(listener: &TcpListener, cancel: &CancellationToken) -> Option<(TcpStream, SocketAddr)> {
    let accept = async {
        loop {
            match listener.accept().await {
                Ok(accepted) => return accepted,
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(REST).await;
                }
            }
        }
    };
    tokio::select! {
        accepted = accept => Some(accepted),
        () = cancel.cancelled() => None,
    }
}

struct Connection {
    peer: SocketAddr,
    service: WebService,
    tls: Option<Arc<rustls::ServerConfig>>,
    watcher: Watcher,
}

/// A connection that counts until it is closed, also after it was upgraded for a hub.
struct Held {
    stream: TcpStream,
    _pass: Pass,
}

impl AsyncRead for Held {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Held {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

impl Connection {
    async fn take(self, stream: Held) {
        let _ = stream.stream.set_nodelay(true);
        let Some(tls) = self.tls.clone() else { return self.answer(stream, None).await };
        match timeout(HANDSHAKE, TlsAcceptor::from(tls).accept(stream)).await {
            Ok(Ok(stream)) => {
                let shown = stream.get_ref().1.peer_certificates().and_then(|chain| chain.first());
                let certificate = shown.map(|shown| ClientCertificate(fingerprint(shown)));
                self.answer(stream, certificate).await;
            }
            Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
            Err(_) => tracing::debug!("a TLS handshake took too long"),
        }
    }

    async fn answer(
        self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        certificate: Option<ClientCertificate>,
    ) {
        let peer = self.peer;
        let begun = Arc::new(AtomicBool::new(false));
        let mark = begun.clone();
        let service = self.service.map_request(move |request: hyper::Request<Incoming>| {
            mark.store(true, Relaxed);
            let mut request = taken(request, peer, BODY);
            if let Some(certificate) = certificate.clone() {
                request.extensions_mut().insert(certificate);
            }
            request
        });
        let mut builder = Builder::new(TokioExecutor::new());
        builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD);
        builder.http2().timer(TokioTimer::new()).max_concurrent_streams(200).keep_alive_interval(HEAD);
        let service = TowerToHyperService::new(service);
        let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
        let connection = self.watcher.watch(connection.into_owned());
        tokio::select! {
            ended = connection => if let Err(error) = ended {
                tracing::debug!(%error, "a connection ended early");
            },
            () = nothing_came(&begun, FIRST) => tracing::debug!("no request arrived in time"),
        }
    }
}

/// Ends when the time is over and no request has begun. hyper waits without a limit for the bytes that identify the
/// HTTP version.
async fn nothing_came(begun: &AtomicBool, time: Duration) {
    tokio::time::sleep(time).await;
    if begun.load(Relaxed) {
        std::future::pending::<()>().await;
    }
}

/// A request with the source address for handlers, and a body that fails when it stalls for too long.
fn taken<B>(request: hyper::Request<B>, peer: SocketAddr, silence: Duration) -> Request
where
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    let mut request = request.map(|body| Body::new(TimeoutBody::new(silence, body)));
    request.extensions_mut().insert(ConnectInfo(peer));
    request
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::to_bytes;
    use futures::{StreamExt, stream};
    use std::{convert::Infallible, net::Ipv4Addr};
    use tokio::io::AsyncWriteExt;
    use tower::{service_fn, util::BoxCloneSyncService};

    #[tokio::test]
    async fn a_body_that_stands_still_ends_with_an_error() {
        let begun = stream::iter([Ok::<_, Infallible>("the beginning")]).chain(stream::pending());
        let request = hyper::Request::new(Body::from_stream(begun));
        let request = taken(request, (Ipv4Addr::LOCALHOST, 1).into(), Duration::from_millis(1));
        assert!(to_bytes(request.into_body(), usize::MAX).await.is_err());
    }

    #[tokio::test]
    async fn a_request_is_given_up_when_its_caller_hangs_up() {
        let (begun, ended) = (CancellationToken::new(), CancellationToken::new());
        let (begin, end) = (begun.clone(), ended.clone());
        let endless = service_fn(move |_: Request| {
            let (begin, guard) = (begin.clone(), end.clone().drop_guard());
            async move {
                let _guard = guard;
                begin.cancel();
                std::future::pending::<Result<axum::response::Response, Infallible>>().await
            }
        });
        let graceful = GracefulShutdown::new();
        let connection = Connection {
            peer: (Ipv4Addr::LOCALHOST, 1).into(),
            service: BoxCloneSyncService::new(endless),
            tls: None,
            watcher: graceful.watcher(),
        };
        let (mut caller, stream) = tokio::io::duplex(1024);
        let answering = tokio::spawn(connection.answer(stream, None));
        caller.write_all(b"GET /api/intake HTTP/1.1\r\nHost: carepost.example\r\n\r\n").await.expect("sent");
        begun.cancelled().await;
        drop(caller);
        timeout(FIRST, ended.cancelled()).await.expect("the handler is dropped");
        answering.await.expect("the connection ends");
    }

    #[tokio::test]
    async fn a_connection_without_a_request_is_given_up_and_one_with_a_request_is_not() {
        let (begun, time) = (AtomicBool::new(false), Duration::from_millis(5));
        nothing_came(&begun, time).await;
        begun.store(true, Relaxed);
        assert!(timeout(time * 10, nothing_came(&begun, time)).await.is_err());
    }
}
