//! All output goes through this module.
//!
//! Output may quote files, metrics and names of other people. It must not reach a terminal or a CI log as a command, so control
//! characters are escaped here. Only slosmith's own styles and workflow commands pass, through [`Terminal::print`].

use std::io::{BufWriter, Result, Stderr, Stdout, Write};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use anstream::{AutoStream, ColorChoice};
use anstyle::AnsiColor;
use terminal_size::terminal_size_of;

use slosmith_text::diag::{push_escaped, steers, wrapped};

/// Lets styles through to every stream, or to none, whatever the streams are.
pub(super) fn force_styles(on: bool) {
    let choice = if on {
        ColorChoice::Always
    } else {
        ColorChoice::Never
    };
    choice.write_global();
}

pub(super) fn is_stdout_styled() -> bool {
    AutoStream::<Stdout>::choice(&std::io::stdout()) != ColorChoice::Never
}

pub(super) fn is_stderr_styled() -> bool {
    AutoStream::<Stderr>::choice(&std::io::stderr()) != ColorChoice::Never
}

/// Columns of standard output; none when it is no terminal.
pub(super) fn stdout_width() -> Option<usize> {
    terminal_size_of(std::io::stdout()).map(|(columns, _)| usize::from(columns.0))
}

/// Columns of standard error; none when it is no terminal.
pub(super) fn stderr_width() -> Option<usize> {
    terminal_size_of(std::io::stderr()).map(|(columns, _)| usize::from(columns.0))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    Good,
    Doubtful,
    Bad,
}

/// Standard output, which all that prints there shares: what is written to standard error later comes later on a screen.
static STDOUT: OnceLock<Mutex<BufWriter<AutoStream<Stdout>>>> = OnceLock::new();

fn locked(
    stdout: &Mutex<BufWriter<AutoStream<Stdout>>>,
) -> MutexGuard<'_, BufWriter<AutoStream<Stdout>>> {
    stdout.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Shared(&'static Mutex<BufWriter<AutoStream<Stdout>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        locked(self.0).write(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        locked(self.0).flush()
    }
}

/// The parts of a text that are printed unescaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Nothing: text that may quote anything.
    Nothing,
    /// Colours and links of our own.
    Styles,
    Commands,
}

pub struct Terminal {
    inner: Box<dyn Write>,
    width: Option<usize>,
    /// True while the line has nothing but blanks.
    at_start: bool,
}

impl Terminal {
    pub fn stdout() -> Self {
        let new = || Mutex::new(BufWriter::new(anstream::stdout()));
        Self::new(Shared(STDOUT.get_or_init(new)), stdout_width())
    }

    /// Standard error, after what standard output still held.
    pub fn stderr() -> Self {
        if let Some(stdout) = STDOUT.get() {
            // What cannot be written is found again at the end.
            let _ = locked(stdout).flush();
        }
        Self::new(anstream::stderr(), stderr_width())
    }

    fn new(inner: impl Write + 'static, width: Option<usize>) -> Self {
        Self {
            inner: Box::new(inner),
            width,
            at_start: true,
        }
    }

    /// Ends a line of which some columns are written. On a terminal, words that do not fit into its width are on further lines,
    /// behind `indent` blanks.
    pub fn fold(&mut self, written: usize, indent: usize, text: &str) -> Result<()> {
        let room = |taken| self.width.unwrap_or(usize::MAX).saturating_sub(taken);
        let (text, inside) = (text.trim(), room(indent));
        let first = wrapped(text, room(written))
            .first()
            .map_or(0, |line| line.len());
        let (first, rest) = text.split_at(first);
        writeln!(self, "{first}")?;
        for line in wrapped(rest, inside) {
            writeln!(self, "{:indent$}{line}", "")?;
        }
        Ok(())
    }

    /// Prints a word in a colour, on a stream that shows styles.
    pub fn paint(&mut self, mood: Mood, text: &str) -> Result<()> {
        let color = match mood {
            Mood::Good => AnsiColor::Green,
            Mood::Doubtful => AnsiColor::Yellow,
            Mood::Bad => AnsiColor::Red,
        };
        let style = color.on_default().bold();
        self.print(&style.render().to_string(), Trust::Styles)?;
        self.print(text, Trust::Nothing)?;
        self.print(&style.render_reset().to_string(), Trust::Styles)
    }

    pub fn print(&mut self, text: &str, trust: Trust) -> Result<()> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let own = match trust {
                Trust::Styles => style_length(rest),
                Trust::Nothing | Trust::Commands => 0,
            };
            let length = own.max(c.len_utf8());
            let (piece, after) = rest.split_at(length);
            if own > 0
                || !(self.steers(c, after) || (trust != Trust::Commands && self.commands(rest)))
            {
                out.push_str(piece);
            } else {
                push_escaped(&mut out, c);
            }
            self.at_start = c == '\n' || (self.at_start && (c == ' ' || c == '\t' || own > 0));
            rest = after;
        }
        self.inner.write_all(out.as_bytes())
    }

    /// A carriage return in front of a line feed is how some files end lines.
    fn steers(&self, c: char, after: &str) -> bool {
        steers(c) && !(c == '\r' && after.starts_with('\n'))
    }

    /// True where GitHub or Azure would take the text for a command. One colon at the start of what is written may be
    /// followed by another. No command begins with a third colon, as the line in front of a second file does.
    fn commands(&self, text: &str) -> bool {
        let two = text.starts_with("::") && !text.starts_with(":::");
        let first = self.at_start && (two || text == ":");
        first || text.starts_with("##[") || text.starts_with("##vso[")
    }

    /// Text that needs no look at each character.
    fn is_plain(text: &str) -> bool {
        let fine = |b: u8| matches!(b, b'\n' | b'\t' | b' '..=b'9' | b';'..=b'~') && b != b'#';
        text.bytes().all(fine)
    }
}

impl Write for Terminal {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        if Self::is_plain(&text) {
            self.inner.write_all(text.as_bytes())?;
            let line = text.rsplit('\n').next().unwrap_or_default();
            let blank = line.bytes().all(|b| matches!(b, b' ' | b'\t'));
            self.at_start = blank && (self.at_start || line.len() < text.len());
        } else {
            self.print(&text, Trust::Nothing)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.inner.flush()
    }
}

/// Bytes of a colour (`ESC [ 1;31 m`) or of one end of a link (`ESC ] 8 ; … ESC \`) at the start; 0 when there is none.
fn style_length(text: &str) -> usize {
    let printable = |c: char| !c.is_control();
    if let Some(rest) = text.strip_prefix("\x1b[") {
        let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        return match digits.starts_with('m') {
            true => text.len() - digits.len() + 1,
            false => 0,
        };
    }
    let Some(rest) = text.strip_prefix("\x1b]8;") else {
        return 0;
    };
    let end = rest.trim_start_matches(printable);
    match end.starts_with("\x1b\\") {
        true => text.len() - end.len() + 2,
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Seen(Arc<Mutex<Vec<u8>>>);

    impl Write for Seen {
        fn write(&mut self, bytes: &[u8]) -> Result<usize> {
            self.0.lock().expect("one thread").extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> Result<()> {
            Ok(())
        }
    }

    fn shown(print: impl FnOnce(&mut Terminal)) -> String {
        let seen = Seen::default();
        print(&mut Terminal::new(seen.clone(), Some(20)));
        let bytes = seen.0.lock().expect("one thread").clone();
        String::from_utf8(bytes).expect("text")
    }

    fn written(text: &str) -> String {
        shown(|out| write!(out, "{text}").expect("written"))
    }

    #[test]
    fn words_that_do_not_fit_are_on_further_lines() {
        let folded = |text: &str| shown(|out| out.fold(8, 4, text).expect("written"));
        assert_eq!(folded("fits in here"), "fits in here\n");
        assert_eq!(
            folded("does not fit into it"),
            "does not fit\n    into it\n"
        );
        assert_eq!(
            folded("https://example.com/long is whole"),
            "https://example.com/long\n    is whole\n"
        );
    }

    #[test]
    fn nothing_foreign_steers() {
        for text in [
            "plain\n",
            "a\tb: c\r\n",
            "é 日本 👩\u{200d}💻\n",
            "# heading\n## two\n",
            "a::b\n",
        ] {
            assert_eq!(written(text), text);
        }
        assert_eq!(written("\x1b[31mred\x1b[0m"), "\\u001b[31mred\\u001b[0m");
        assert_eq!(written("a\rb\u{9b}\u{202e}"), "a\\u000db\\u009b\\u202e");
    }

    #[test]
    fn nothing_foreign_is_a_workflow_command() {
        assert_eq!(written("a\n::error::x\n"), "a\n\\u003a:error::x\n");
        assert_eq!(
            written("  ::set-env name=x::y"),
            "  \\u003a:set-env name=x::y"
        );
        assert_eq!(written(" ::: b.yaml:1:2\n"), " ::: b.yaml:1:2\n");
        assert_eq!(written("x ##[error]y"), "x \\u0023#[error]y");
        assert_eq!(written("##vso[task.x]y"), "\\u0023#vso[task.x]y");
        let split = shown(|out| {
            let pieces = ["\n", "  ", "::error::x"];
            pieces
                .iter()
                .try_for_each(|piece| write!(out, "{piece}"))
                .expect("written");
        });
        assert_eq!(split, "\n  \\u003a:error::x");
        let own = shown(|out| {
            out.print("::error::x\x1b\n", Trust::Commands)
                .expect("written")
        });
        assert_eq!(own, "::error::x\\u001b\n");
    }

    #[test]
    fn our_own_styles_pass_and_no_others() {
        let text = "\x1b[1;31mred\x1b[0m \x1b]8;;https://x\x1b\\link\x1b]8;;\x1b\\\n";
        let styled = |text: &str| shown(|out| out.print(text, Trust::Styles).expect("written"));
        // A stream that is not a terminal removes styles; this test has no such stream.
        assert_eq!(styled(text), text);
        assert_eq!(
            styled("\x1b[2J\x1b]0;title\x07"),
            "\\u001b[2J\\u001b]0;title\\u0007"
        );
    }
}
