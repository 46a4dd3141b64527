//! Panics in the work on one file: a finding about the file, so that the other files are still checked.

use std::any::Any;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};
use std::sync::{Mutex, PoisonError};

use super::Diagnostic;
use crate::source::{FileId, Span};

pub const INTERNAL_ERROR: &str = "internal-error";

/// Panics that were not reported yet: message and place. One in a task of another thread is reported by the thread that waits.
static PANICS: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

/// Notes panics instead of printing them: their message may quote a file, and what quotes a file must not reach a terminal as
/// it is.
pub fn note_panics() {
    set_hook(Box::new(|info: &PanicHookInfo<'_>| {
        let place = info
            .location()
            .map(|at| format!(" at {}:{}", at.file(), at.line()));
        let noted = (message(info.payload()), place.unwrap_or_default());
        PANICS
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(noted);
    }));
}

pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let message = message(&*payload);
        let mut noted = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
        let same = noted.iter().position(|(noted, _)| *noted == message);
        let place = same.map(|at| noted.swap_remove(at).1).unwrap_or_default();
        format!("internal error{place}: {message}")
    })
}

/// Does the work on one file; after a panic, the finding that names the file.
pub fn guarded<T>(file: FileId, work: impl FnOnce() -> T) -> Result<T, Diagnostic> {
    caught(work).map_err(|why| {
        let error = Diagnostic::error("internal-error", Span::new(file, 0..0), why);
        error.help("this file was not checked, or only in part; report the message and the file as a bug of slosmith")
    })
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("panic without a message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_finding_about_the_file() {
        let file = FileId(7);
        assert_eq!(guarded(file, || 1), Ok(1));
        let text = "éé";
        let found = guarded(file, || text[..text.len() - 1].len()).expect_err("a panic");
        assert_eq!((found.code, found.span.file), (INTERNAL_ERROR, file));
        assert!(
            found.message.contains("internal error"),
            "{}",
            found.message
        );
    }
}
