//! The threads that share the work.

use std::sync::mpsc::{self, Sender};
use std::thread;

use rayon::{ThreadBuilder, ThreadPoolBuilder};

/// Starts one thread per processor, including this one; fewer if the system does not allow more.
///
/// `RAYON_NUM_THREADS` sets another number.
pub(super) fn start() {
    let asked = std::env::var("RAYON_NUM_THREADS");
    let asked = asked.ok().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
    let wanted = asked.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let helpers: Vec<_> = (1..wanted).map_while(|_| helper()).collect();
    // The pool waits for all of its threads, so they are started first.
    let pool = ThreadPoolBuilder::new().num_threads(1 + helpers.len());
    let mut helpers = helpers.into_iter();
    let pool = pool.use_current_thread().spawn_handler(|worker| {
        let given = helpers.next().map(|helper| helper.send(worker));
        given
            .and_then(Result::ok)
            .ok_or_else(|| std::io::ErrorKind::Other.into())
    });
    let started = pool.build_global();
    debug_assert!(
        started.is_ok(),
        "once, and with a helper for each: {started:?}"
    );
}

/// A thread that joins the pool; `None` if the system does not allow another thread.
fn helper() -> Option<Sender<ThreadBuilder>> {
    let (give, take) = mpsc::channel::<ThreadBuilder>();
    let work = move || take.recv().map(ThreadBuilder::run).unwrap_or_default();
    thread::Builder::new().spawn(work).ok()?;
    Some(give)
}
