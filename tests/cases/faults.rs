//! What is left on disk when a run is killed, or the system refuses something, at every place.

mod baseline;
mod build;
mod fix;
mod record;
mod strace;
mod threads;

use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    [
        baseline::trials(),
        build::trials(),
        fix::trials(),
        record::trials(),
        threads::trials(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
