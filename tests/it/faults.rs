//! What is left on disk when a run is killed, or the system refuses something, at every place.

mod build;
mod strace;
