//! A progress bar on a terminal.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::terminal::Terminal;

/// Shorter runs show nothing.
const PATIENCE: Duration = Duration::from_secs(1);

const TEMPLATE: &str = "{msg} {bar:40} {pos}/{len} {prefix}, {eta} left";

/// A bar that appears after a second, and disappears when dropped.
pub(in crate::cli) struct Progress {
    bar: ProgressBar,
    since: Instant,
    waiting: AtomicBool,
}

impl Progress {
    /// A bar that appears only if standard error is a terminal.
    pub(in crate::cli) fn new(wanted: bool) -> Self {
        let style = ProgressStyle::with_template(TEMPLATE);
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        Self {
            // A test holds that the template can be read.
            bar: bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())),
            since: Instant::now(),
            waiting: AtomicBool::new(wanted && std::io::stderr().is_terminal()),
        }
    }

    pub(in crate::cli) fn none() -> Self {
        Self::new(false)
    }

    pub(in crate::cli) fn begin(&self, what: &'static str, files: usize) {
        self.bar.reset();
        self.count(what, "files", files);
    }

    pub(in crate::cli) fn step(&self) {
        self.bar.inc(1);
        self.show_when_late();
    }

    /// Sets the number of units that are done.
    pub(in crate::cli) fn at(
        &self,
        what: &'static str,
        unit: &'static str,
        (done, of): (usize, usize),
    ) {
        self.count(what, unit, of);
        self.bar.set_position(done as u64);
        self.show_when_late();
    }

    /// Prints a line above the bar.
    pub(in crate::cli) fn tell(&self, line: &str) {
        self.bar.suspend(|| {
            let _ = writeln!(Terminal::stderr(), "{line}");
        });
    }

    /// Removes the bar, for what is printed next.
    pub(in crate::cli) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    fn count(&self, what: &'static str, unit: &'static str, of: usize) {
        self.bar.set_message(what);
        self.bar.set_prefix(unit);
        if self.bar.length() != Some(of as u64) {
            self.bar.dec_length(u64::MAX);
            self.bar.inc_length(of as u64);
        }
    }

    fn show_when_late(&self) {
        let late = || self.since.elapsed() > PATIENCE;
        if self.waiting.load(Ordering::Relaxed)
            && late()
            && self.waiting.swap(false, Ordering::Relaxed)
        {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_can_be_read() {
        assert!(ProgressStyle::with_template(TEMPLATE).is_ok());
    }
}
