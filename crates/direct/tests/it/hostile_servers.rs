//! Hostile name servers: their answers are not trusted, cost little, and end.

use direct::dns::{DnsClient, DnsError, DnsSettings};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};

const NAME: &str = "south.example";
/// Time after which a query counts as endless.
const ENDLESS: Duration = Duration::from_secs(20);

const TXT: u16 = 16;
const CNAME: u16 = 5;
const TRUNCATED: u8 = 0x02;

/// Addresses of a server, UDP and TCP.
async fn sockets() -> (SocketAddr, UdpSocket, TcpListener) {
    loop {
        let udp = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = udp.local_addr().unwrap();
        if let Ok(tcp) = TcpListener::bind(address).await {
            return (address, udp, tcp);
        }
    }
}

fn client(server: SocketAddr, timeout: Duration) -> DnsClient {
    let settings = DnsSettings { servers: vec![server], timeout, retries: 0, ..DnsSettings::default() };
    DnsClient::new(&settings).unwrap()
}

/// For a client that gets an answer.
fn patient(server: SocketAddr) -> DnsClient {
    client(server, Duration::from_secs(10))
}

/// For a client that is to give up.
fn hasty(server: SocketAddr) -> DnsClient {
    client(server, Duration::from_millis(200))
}

fn name(text: &str) -> Vec<u8> {
    let labels = text.split('.').flat_map(|label| [&[label.len() as u8], label.as_bytes()].concat());
    labels.chain([0]).collect()
}

/// The raw question of a packet.
fn question(query: &[u8]) -> &[u8] {
    let mut end = 12;
    while query[end] != 0 {
        end += usize::from(query[end]) + 1;
    }
    &query[12..end + 5]
}

/// A record of the queried name.
fn record(kind: u16, data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u16).to_be_bytes();
    [&[0xC0, 12][..], &kind.to_be_bytes(), &[0, 1, 0, 0, 0, 60], &length, data].concat()
}

fn text(text: &str) -> Vec<u8> {
    record(TXT, &[&[text.len() as u8], text.as_bytes()].concat())
}

fn answer(query: &[u8], flags: u8, question: &[u8], records: &[Vec<u8>]) -> Vec<u8> {
    let count = (records.len() as u16).to_be_bytes();
    let head = [&query[..2], &[0x81 | flags, 0x80, 0, 1], &count, &[0; 4]].concat();
    [&head, question, &records.concat()].concat()
}

fn genuine(query: &[u8]) -> Vec<u8> {
    answer(query, 0, question(query), &[text("genuine")])
}

/// The next UDP query, and its sender.
async fn asked(udp: &UdpSocket) -> (Vec<u8>, SocketAddr) {
    let mut packet = vec![0; 4096];
    let (length, peer) = udp.recv_from(&mut packet).await.unwrap();
    packet.truncate(length);
    (packet, peer)
}

/// The next TCP query.
async fn asked_by_tcp(tcp: &TcpListener) -> (Vec<u8>, TcpStream) {
    let (mut stream, _) = tcp.accept().await.unwrap();
    let length = stream.read_u16().await.unwrap();
    let mut query = vec![0; usize::from(length)];
    stream.read_exact(&mut query).await.unwrap();
    (query, stream)
}

#[tokio::test]
async fn an_answer_from_another_port_or_with_another_number_is_passed_over() {
    let (address, udp, _tcp) = sockets().await;
    let elsewhere = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    tokio::spawn(async move {
        let (query, peer) = asked(&udp).await;
        let forged = answer(&query, 0, question(&query), &[text("forged")]);
        elsewhere.send_to(&forged, peer).await.unwrap();
        let numbered = [&[query[0] ^ 1, query[1]], &forged[2..]].concat();
        udp.send_to(&numbered, peer).await.unwrap();
        udp.send_to(&genuine(&query), peer).await.unwrap();
    });
    assert_eq!(patient(address).texts(NAME).await, Ok(vec!["genuine".into()]));
}

#[tokio::test]
async fn an_answer_to_another_question_is_passed_over() {
    let (address, udp, _tcp) = sockets().await;
    tokio::spawn(async move {
        let (query, peer) = asked(&udp).await;
        let other = [&name("north.example")[..], &TXT.to_be_bytes(), &[0, 1]].concat();
        udp.send_to(&answer(&query, 0, &other, &[text("forged")]), peer).await.unwrap();
        udp.send_to(&genuine(&query), peer).await.unwrap();
    });
    assert_eq!(patient(address).texts(NAME).await, Ok(vec!["genuine".into()]));
}

#[tokio::test]
async fn an_answer_that_is_cut_off_is_no_answer() {
    let (address, udp, tcp) = sockets().await;
    tokio::spawn(async move {
        loop {
            tokio::select! {
                (query, peer) = asked(&udp) => {
                    let cut = answer(&query, TRUNCATED, question(&query), &[text("half")]);
                    udp.send_to(&cut, peer).await.unwrap();
                }
                (query, mut stream) = asked_by_tcp(&tcp) => {
                    let cut = answer(&query, TRUNCATED, question(&query), &[text("half")]);
                    stream.write_u16(cut.len() as u16).await.unwrap();
                    stream.write_all(&cut).await.unwrap();
                }
            }
        }
    });
    assert_eq!(patient(address).texts(NAME).await, Err(DnsError::Unanswered));
}

/// Each name points to another one.
#[tokio::test]
async fn an_endless_chain_of_names_comes_to_an_end() {
    let (address, udp, _tcp) = sockets().await;
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    tokio::spawn(async move {
        loop {
            let (query, peer) = asked(&udp).await;
            let next = name(&format!("n{}.south.example", counted.fetch_add(1, Relaxed)));
            let leads_on = answer(&query, 0, question(&query), &[record(CNAME, &next)]);
            udp.send_to(&leads_on, peer).await.unwrap();
        }
    });
    let found = tokio::time::timeout(ENDLESS, patient(address).texts(NAME)).await.expect("an end");
    assert_eq!(found.unwrap_or_default(), [""; 0]);
    assert!(count.load(Relaxed) < 50, "{} questions", count.load(Relaxed));
}

#[tokio::test]
async fn of_an_answer_with_thousands_of_texts_the_first_are_taken() {
    let (address, udp, tcp) = sockets().await;
    tokio::spawn(async move {
        let (query, peer) = asked(&udp).await;
        udp.send_to(&answer(&query, TRUNCATED, question(&query), &[]), peer).await.unwrap();
        let (query, mut stream) = asked_by_tcp(&tcp).await;
        let texts: Vec<_> = (0..4_000).map(|n| text(&(n % 10).to_string())).collect();
        let large = answer(&query, 0, question(&query), &texts);
        stream.write_u16(u16::try_from(large.len()).unwrap()).await.unwrap();
        stream.write_all(&large).await.unwrap();
        // Open until it is read.
        let _ = stream.read_u8().await;
    });
    let found = tokio::time::timeout(ENDLESS, patient(address).texts(NAME)).await.expect("an end");
    assert_eq!(found.map(|texts| texts.len()), Ok(50));
}

#[tokio::test]
async fn an_answer_that_comes_byte_by_byte_is_not_waited_for() {
    let (address, udp, tcp) = sockets().await;
    tokio::spawn(async move {
        let (query, peer) = asked(&udp).await;
        udp.send_to(&answer(&query, TRUNCATED, question(&query), &[]), peer).await.unwrap();
        let (_, mut stream) = asked_by_tcp(&tcp).await;
        stream.write_u16(u16::MAX).await.unwrap();
        let mut slowly = tokio::time::interval(Duration::from_millis(20));
        loop {
            slowly.tick().await;
            if stream.write_u8(0).await.is_err() {
                return;
            }
        }
    });
    let found = tokio::time::timeout(ENDLESS, hasty(address).texts(NAME)).await.expect("an end");
    assert_eq!(found, Err(DnsError::Unanswered));
}
