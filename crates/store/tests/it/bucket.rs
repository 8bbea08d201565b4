//! An S3 server with one bucket.

use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
};
use s3s::{auth::SimpleAuth, service::S3ServiceBuilder};
use s3s_fs::FileSystem;
use std::net::SocketAddr;
use store::blobs::{BlobStore, S3Config};
use tokio::net::TcpListener;

const NAME: &str = "carepost";
const SECRET: &str = "a secret";

/// It stops when dropped. Requests not signed with its key are refused.
pub struct Bucket {
    address: SocketAddr,
    pub folder: tempfile::TempDir,
}

impl Bucket {
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(NAME)).unwrap();
        let mut service = S3ServiceBuilder::new(FileSystem::new(folder.path()).unwrap());
        service.set_auth(SimpleAuth::from_single("carepost", SECRET));
        let service = service.build();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let service = service.clone();
                tokio::spawn(async move {
                    let http = Builder::new(TokioExecutor::new());
                    let _ = http.serve_connection(TokioIo::new(socket), service).await;
                });
            }
        });
        Self { address, folder }
    }

    pub fn blobs(&self) -> BlobStore {
        self.blobs_of(SECRET)
    }

    pub fn blobs_of(&self, secret: &str) -> BlobStore {
        let config = S3Config {
            bucket: NAME.into(),
            region: "us-east-1".into(),
            endpoint: Some(format!("http://{}", self.address)),
            access_key_id: "carepost".into(),
            secret_access_key: secret.into(),
            allow_http: true,
        };
        BlobStore::s3(&config).unwrap()
    }
}
