//! What is left on disk when a run is killed, or the system refuses something, at every place.

mod baseline;
mod build;
mod fix;
mod record;
mod strace;
mod threads;
