//! The way of an agent to `mpivet run`: its host may have several addresses, of which this node reaches some.

use crate::wire::handshake::{self, Connection};
use crate::wire::token::Token;
use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::sync::mpsc::channel;
use std::time::Duration;

/// Time for one address.
const PATIENCE: Duration = Duration::from_secs(3);
/// After this time without an answer the network has lost it.
pub(crate) const LOST_AFTER: Duration = Duration::from_secs(20);

/// The hub may be busy with others.
const ATTEMPTS: u32 = 3;

/// A stream, and what is said over it.
pub(crate) type Connected = (TcpStream, Connection<TcpStream, TcpStream>);

/// Connects with the first address behind which there is somebody who knows the secret.
pub(crate) fn connect(addresses: &str, token: &Token) -> io::Result<Connected> {
    let (tell, told) = channel();
    for address in addresses.split(',').filter(|address| !address.is_empty()) {
        let (tell, token, address) = (tell.clone(), token.clone(), address.to_owned());
        std::thread::spawn(move || {
            // A name may have several.
            for address in address.to_socket_addrs().into_iter().flatten() {
                let mut connected = connect_to(address, &token);
                for _ in 1..ATTEMPTS {
                    match &connected {
                        Err(e)
                            if e.kind() != io::ErrorKind::ConnectionRefused && e.kind() != io::ErrorKind::TimedOut =>
                        {
                            std::thread::sleep(Duration::from_millis(50));
                            connected = connect_to(address, &token);
                        }
                        _ => break,
                    }
                }
                _ = tell.send(connected);
            }
        });
    }
    drop(tell);
    let mut last = io::Error::new(io::ErrorKind::AddrNotAvailable, "no address was given");
    while let Ok(connection) = told.recv() {
        match connection {
            Ok(connection) => return Ok(connection),
            Err(e) => last = e,
        }
    }
    Err(last)
}

fn connect_to(address: SocketAddr, token: &Token) -> io::Result<Connected> {
    let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(LOST_AFTER))?;
    let connection = handshake::of_agent(token, stream.try_clone()?, stream.try_clone()?)?;
    notice_loss(&stream)?;
    stream.set_read_timeout(None)?;
    Ok((stream, connection))
}

/// Has the system end the connection if the other side does not answer.
pub(crate) fn notice_loss(stream: &TcpStream) -> io::Result<()> {
    use rustix::net::sockopt;
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, Duration::from_secs(5))?;
    sockopt::set_tcp_keepintvl(stream, Duration::from_secs(5))?;
    sockopt::set_tcp_keepcnt(stream, 3)?;
    sockopt::set_tcp_user_timeout(stream, LOST_AFTER.as_millis() as u32)?;
    Ok(())
}
