//! Prompts on a terminal.

use std::io::Write;

use anyhow::{Result, bail};

use crate::cli::terminal::Terminal;

pub(super) struct Questions {
    asks: bool,
    err: Terminal,
}

impl Questions {
    pub(super) fn new(asks: bool) -> Self {
        let err = Terminal::stderr();
        Self { asks, err }
    }

    /// The answer; the default for an empty line, and without a terminal.
    pub(super) fn text(&mut self, question: &str, default: &str) -> Result<String> {
        if !self.asks {
            return Ok(default.to_owned());
        }
        match default {
            "" => write!(self.err, "{question}: ")?,
            default => write!(self.err, "{question} [{default}]: ")?,
        }
        self.err.flush()?;
        let mut answer = String::new();
        if std::io::stdin().read_line(&mut answer)? == 0 {
            bail!("end of input before all questions were answered; nothing was written");
        }
        Ok(match answer.trim() {
            "" => default.to_owned(),
            answer => answer.to_owned(),
        })
    }

    /// An answer that `check` accepts; asks again until then.
    pub(super) fn checked(
        &mut self,
        question: &str,
        default: &str,
        check: impl Fn(&str) -> Result<(), String>,
    ) -> Result<String> {
        loop {
            let answer = self.text(question, default)?;
            match check(&answer) {
                Ok(()) => return Ok(answer),
                Err(why) if self.asks => writeln!(self.err, "  {why}")?,
                Err(why) => bail!("{question}: {why}"),
            }
        }
    }
}
