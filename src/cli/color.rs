//! Colours in the output.

use clap::ValueEnum;

use super::terminal::force_styles;

/// When colours, links and box drawing are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// Only on a terminal; `NO_COLOR`, `FORCE_COLOR`, `CLICOLOR_FORCE` and `CLICOLOR=0` override this
    #[default]
    Auto,
    /// Also in files and pipes
    Always,
    /// Never
    Never,
}

impl Color {
    pub(super) fn set(self) {
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        match self {
            // The streams read the other variables; `NO_COLOR` has priority.
            Self::Auto if set("NO_COLOR").is_some() => {}
            Self::Auto if set("FORCE_COLOR").is_some_and(|value| value != "0") => {
                force_styles(true)
            }
            Self::Auto => {}
            Self::Always => force_styles(true),
            Self::Never => force_styles(false),
        }
    }
}
