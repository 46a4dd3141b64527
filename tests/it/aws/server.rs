//! A small CloudWatch on this machine: the operations that slosmith uses, over Smithy RPC v2 CBOR.
//!
//! It keeps what it is given, refuses what AWS documents as refused, and fails on request. It knows nothing of slosmith: rules are
//! read, and limits known, by code of its own.

mod answers;
mod faults;
mod http;
mod store;
mod wire;

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

pub(crate) use faults::Faults;
pub(crate) use store::Store;

use http::Connection;

/// A server that lives as long as the test process.
pub(crate) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

/// What all connections of a server share.
pub(crate) struct Shared {
    store: Mutex<Store>,
    faults: Mutex<Faults>,
    quotas: Mutex<Quotas>,
    log: Mutex<Vec<String>>,
}

/// Calls a second by operation.
#[derive(Default)]
struct Quotas {
    /// How many times AWS's own; none means no limit.
    times: Option<f64>,
    /// Calls that may be made at once, and when that was counted.
    left: BTreeMap<String, (f64, Instant)>,
}

impl Quotas {
    /// A bucket that holds the calls of one second, as AWS throttles.
    fn allows(&mut self, operation: &str) -> bool {
        let Some(times) = self.times else { return true };
        let rate = times
            * match operation {
                "PutMetricAlarm" | "PutCompositeAlarm" | "DeleteAlarms" | "PutAlarmMuteRule" => 3.0,
                "DescribeAlarms" => 9.0,
                _ => 10.0,
            };
        let now = Instant::now();
        let (left, since) = self.left.entry(operation.to_owned()).or_insert((rate, now));
        *left = (*left + rate * since.elapsed().as_secs_f64()).min(rate);
        *since = now;
        let allowed = *left >= 1.0;
        *left -= if allowed { 1.0 } else { 0.0 };
        allowed
    }
}

impl Server {
    /// One that holds nothing, has no quotas and never fails.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            store: Mutex::default(),
            faults: Mutex::default(),
            quotas: Mutex::default(),
            log: Mutex::default(),
        });
        let all = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&all);
                std::thread::spawn(move || shared.serve(stream));
            }
        });
        Self { address, shared }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it holds; somebody else may change it.
    pub(crate) fn store(&self) -> MutexGuard<'_, Store> {
        self.shared.store.lock().expect("no panic")
    }

    /// From now on calls fail like this.
    pub(crate) fn fail(&self, faults: Faults) {
        *self.shared.faults.lock().expect("no panic") = faults;
    }

    /// From now on calls are throttled beyond so many times AWS's quotas.
    pub(crate) fn limit(&self, times: f64) {
        self.shared.quotas.lock().expect("no panic").times = Some(times);
    }

    /// The operations that were called, in order, and forgets them. A throttled call is `!Operation`.
    pub(crate) fn called(&self) -> Vec<String> {
        std::mem::take(&mut *self.shared.log.lock().expect("no panic"))
    }
}

impl Shared {
    /// Answers one client until it goes away or a fault ends the connection.
    fn serve(&self, stream: TcpStream) {
        let mut connection = Connection::new(stream);
        while let Ok(Some(request)) = connection.request() {
            let operation = request.operation().to_owned();
            let fault = self.faults.lock().expect("no panic").next();
            let allowed = self.quotas.lock().expect("no panic").allows(&operation);
            let mark = if allowed { "" } else { "!" };
            let mut log = self.log.lock().expect("no panic");
            log.push(format!("{mark}{operation}"));
            drop(log);
            let answer = || match allowed {
                true => answers::answer(&mut self.store.lock().expect("no panic"), &request),
                false => Err(answers::Refusal::throttled()),
            };
            if !fault.play(&mut connection, answer) {
                return;
            }
        }
    }
}
