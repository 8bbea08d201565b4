//! A browser's WebSocket.

use futures::{SinkExt, StreamExt};
use serde_json::Value;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async, tungstenite::Message};

/// Time limit for a frame. Only a failing test waits that long.
const TIMEOUT: Duration = Duration::from_secs(10);

pub struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    pub async fn open(url: &str) -> Self {
        let (stream, _) = connect_async(url).await.expect("the hub takes the connection");
        Self(stream)
    }

    pub async fn send(&mut self, frame: Value) {
        self.0.send(Message::text(frame.to_string())).await.expect("the hub reads");
    }

    /// The next frame; `None` when the hub closed the connection.
    pub async fn next(&mut self) -> Option<Value> {
        loop {
            let frame = tokio::time::timeout(TIMEOUT, self.0.next()).await.expect("a frame in time");
            match frame {
                Some(Ok(Message::Text(text))) => return serde_json::from_str(&text).ok(),
                Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                Some(Ok(_)) => {}
            }
        }
    }

    /// The next frame of that type; others are skipped.
    pub async fn expect(&mut self, kind: &str) -> Value {
        loop {
            let frame = self.next().await.unwrap_or_else(|| panic!("the hub closed before it said {kind}"));
            if frame["type"] == kind {
                return frame;
            }
        }
    }

    /// Waits for the end of the connection and returns the hub's close code, if any.
    pub async fn close_code(&mut self) -> Option<u16> {
        loop {
            let frame = tokio::time::timeout(TIMEOUT, self.0.next()).await.expect("an end in time");
            match frame {
                Some(Ok(Message::Close(close))) => return close.map(|c| c.code.into()),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return None,
            }
        }
    }

    /// Closes like a browser that leaves the page.
    pub async fn close(mut self) {
        let _ = self.0.close(None).await;
    }

    /// Disconnects without a close frame, like a killed tab.
    pub fn kill(self) {
        drop(self.0);
    }
}
