//! A client that writes frames byte by byte, for what no client library lets one write.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::scene::Scene;

const METHOD: u8 = 1;
const HEADER: u8 = 2;
const BODY: u8 = 3;
const END: u8 = 0xce;
/// What the broker offers.
pub const FRAME_BYTES_MAX: usize = 131_072;
/// Flag bits of the properties.
pub const MESSAGE_ID: u16 = 1 << 7;
pub const HEADERS: u16 = 1 << 13;

fn short(text: &[u8]) -> Vec<u8> {
    [&[u8::try_from(text.len()).unwrap()], text].concat()
}

fn long(bytes: &[u8]) -> Vec<u8> {
    [&u32::try_from(bytes.len()).unwrap().to_be_bytes(), bytes].concat()
}

fn frame(kind: u8, channel: u16, payload: &[u8]) -> Vec<u8> {
    [&[kind], &channel.to_be_bytes()[..], &long(payload), &[END]].concat()
}

fn method(channel: u16, class: u16, method: u16, arguments: &[u8]) -> Vec<u8> {
    let payload = [&class.to_be_bytes()[..], &method.to_be_bytes(), arguments].concat();
    frame(METHOD, channel, &payload)
}

/// Reads frames until the method `wanted`.
async fn until(wire: &mut TcpStream, wanted: (u16, u16)) {
    loop {
        let mut head = [0; 7];
        wire.read_exact(&mut head).await.unwrap();
        let length = u32::from_be_bytes(head[3..].try_into().unwrap());
        let mut rest = vec![0; usize::try_from(length).unwrap() + 1];
        wire.read_exact(&mut rest).await.unwrap();
        let number = |at: usize| u16::from_be_bytes([rest[at], rest[at + 1]]);
        if head[0] == METHOD && (number(0), number(2)) == wanted {
            return;
        }
        let closing = head[0] == METHOD && number(2) == 50 || head[0] == METHOD && number(2) == 40 && number(0) == 20;
        assert!(!closing, "the broker closes: {}", String::from_utf8_lossy(&rest));
    }
}

/// Publishes `body` to `orders.process` with the property that `flag` stands for, written as `property`; returns once
/// the broker has it.
pub async fn publish(scene: &Scene, flag: u16, property: &[u8], body: &[u8]) {
    let url: reqwest::Url = scene.broker.url().parse().unwrap();
    let address = (url.host_str().unwrap(), url.port().unwrap());
    let mut wire = TcpStream::connect(address).await.unwrap();
    wire.write_all(b"AMQP\x00\x00\x09\x01").await.unwrap();
    until(&mut wire, (10, 10)).await;
    let plain = format!("\0{}\0{}", url.username(), url.password().unwrap());
    let start_ok = [long(&[]), short(b"PLAIN"), long(plain.as_bytes()), short(b"en_US")].concat();
    wire.write_all(&method(0, 10, 11, &start_ok)).await.unwrap();
    until(&mut wire, (10, 30)).await;
    let frame_max = u32::try_from(FRAME_BYTES_MAX).unwrap().to_be_bytes();
    let tune_ok = [&2047_u16.to_be_bytes()[..], &frame_max, &[0, 0]].concat();
    wire.write_all(&method(0, 10, 31, &tune_ok)).await.unwrap();
    let open = [short(scene.broker.vhost().as_bytes()), vec![0, 0]].concat();
    wire.write_all(&method(0, 10, 40, &open)).await.unwrap();
    until(&mut wire, (10, 41)).await;
    wire.write_all(&method(1, 20, 10, &[0])).await.unwrap();
    until(&mut wire, (20, 11)).await;
    wire.write_all(&method(1, 85, 10, &[0])).await.unwrap();
    until(&mut wire, (85, 11)).await;
    let publish = [vec![0, 0], short(b"orders"), short(b"order.process"), vec![0]].concat();
    wire.write_all(&method(1, 60, 40, &publish)).await.unwrap();
    let length = u64::try_from(body.len()).unwrap().to_be_bytes();
    let header = [
        &60_u16.to_be_bytes()[..],
        &[0, 0],
        &length,
        &flag.to_be_bytes(),
        property,
    ]
    .concat();
    wire.write_all(&frame(HEADER, 1, &header)).await.unwrap();
    wire.write_all(&frame(BODY, 1, body)).await.unwrap();
    until(&mut wire, (60, 80)).await;
}

/// A message id of these bytes.
pub fn message_id(bytes: &[u8]) -> Vec<u8> {
    short(bytes)
}

/// A table of headers that holds one entry.
pub fn headers(name: &[u8], kind: u8, value: &[u8]) -> Vec<u8> {
    long(&[&short(name), &[kind][..], value].concat())
}

/// Arrays inside each other, as a value.
pub fn nested_arrays(depth: usize) -> Vec<u8> {
    nested(depth, b"A")
}

/// Tables inside each other, each with one entry that has no name, as a value.
pub fn nested_tables(depth: usize) -> Vec<u8> {
    nested(depth, b"\0F")
}

/// `depth` values inside each other; `head` stands before the length of each but the outermost.
fn nested(depth: usize, head: &[u8]) -> Vec<u8> {
    let level = head.len() + 4;
    let mut bytes = vec![];
    for inner in (0..depth).rev() {
        bytes.extend_from_slice(&u32::try_from(inner * level).unwrap().to_be_bytes());
        if inner > 0 {
            bytes.extend_from_slice(head);
        }
    }
    bytes
}
