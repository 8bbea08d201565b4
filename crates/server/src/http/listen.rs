//! Takes connections, with or without TLS, and hands their requests to the service.

use super::WebService;
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
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;
use tower_http::timeout::TimeoutBody;

/// More connections than this wait to be taken.
const CONNECTIONS: usize = 4096;
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Time for a request's head, and for the next request of a connection.
const HEAD: Duration = Duration::from_secs(60);
/// How long a request's body may stand still; a slow one takes as long as it does.
const BODY: Duration = Duration::from_secs(60);
/// Time that running requests have when the node stops.
const GRACE: Duration = Duration::from_secs(10);
/// Rest after an error of the listening socket (such as too many open files).
const REST: Duration = Duration::from_millis(200);

/// Serves until cancelled, then lets running requests end.
pub async fn serve(
    listener: TcpListener,
    tls: Option<TlsSlot>,
    service: WebService,
    cancel: CancellationToken,
) {
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    while let Some((stream, peer, place)) = next(&listener, &places, &cancel).await {
        let connection = Connection {
            peer,
            service: service.clone(),
            tls: tls.as_ref().and_then(TlsSlot::get),
            watcher: graceful.watcher(),
            _place: place,
        };
        tokio::spawn(connection.take(stream));
    }
    drop(listener);
    if timeout(GRACE, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests that did not end in time were cut off");
    }
}

/// The next connection, as soon as there is room for it; `None` when the node stops.
async fn next(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
    cancel: &CancellationToken,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let accept = async {
        let place = places.clone().acquire_owned().await.expect("the semaphore is never closed");
        loop {
            match listener.accept().await {
                Ok((stream, peer)) => return (stream, peer, place),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be taken");
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
    _place: OwnedSemaphorePermit,
}

impl Connection {
    async fn take(self, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let Some(tls) = self.tls.clone() else { return self.answer(stream).await };
        match timeout(HANDSHAKE, TlsAcceptor::from(tls).accept(stream)).await {
            Ok(Ok(stream)) => self.answer(stream).await,
            Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
            Err(_) => tracing::debug!("a TLS handshake took too long"),
        }
    }

    async fn answer(self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let peer = self.peer;
        let service =
            self.service.map_request(move |request: hyper::Request<Incoming>| taken(request, peer, BODY));
        let mut builder = Builder::new(TokioExecutor::new());
        builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD);
        builder.http2().timer(TokioTimer::new()).max_concurrent_streams(200).keep_alive_interval(HEAD);
        let service = TowerToHyperService::new(service);
        let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
        if let Err(error) = self.watcher.watch(connection.into_owned()).await {
            tracing::debug!(%error, "a connection ended early");
        }
    }
}

/// A request of which the handlers know whose it is, and whose body ends with an error when it stands still for so long.
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

    #[tokio::test]
    async fn a_body_that_stands_still_ends_with_an_error() {
        let begun = stream::iter([Ok::<_, Infallible>("the beginning")]).chain(stream::pending());
        let request = hyper::Request::new(Body::from_stream(begun));
        let request = taken(request, (Ipv4Addr::LOCALHOST, 1).into(), Duration::from_millis(1));
        assert!(to_bytes(request.into_body(), usize::MAX).await.is_err());
    }
}
