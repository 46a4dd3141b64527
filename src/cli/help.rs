//! The parts of `slosmith --help` beside the options: commands in groups, and exit codes.

use clap::Command;

/// Every command in its group, in the order of `slosmith --help`. clap has no groups of subcommands.
pub const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Write",
        &[
            "init",
            "import",
            "build",
            "migrate",
            "preview",
            "templates",
            "cloudwatch",
        ],
    ),
    (
        "Check",
        &[
            "lint", "lsp", "drift", "health", "backtest", "suggest", "gate",
        ],
    ),
    (
        "Look up",
        &["list", "diff", "explain", "catalog", "signals"],
    ),
    ("Set up", &["doctor", "schema", "completions", "man"]),
];

/// Commands with an exit code 1, and its meaning. All other commands exit with 0, 2 or 3.
pub const FAILED_CHECKS: [(&str, &str); 10] = [
    ("import", "an imported spec does not build yet"),
    ("build --check", "generated files are out of date"),
    (
        "migrate",
        "a field cannot be rewritten; with `--check`, also if a spec uses fields of before",
    ),
    ("cloudwatch plan", "the account differs from the specs"),
    (
        "lint",
        "at least one finding has the level of `--fail-on` or a higher level",
    ),
    ("lsp", "the editor ended the session without `shutdown`"),
    ("drift", "the upgrade breaks a query or changes its meaning"),
    (
        "health",
        "a condition with the severity of `--fail-on` or a higher one is true",
    ),
    (
        "gate",
        "a criterion failed or was not measured; with `--fail-on degraded`, also if one is degraded",
    ),
    ("doctor", "at least one problem; warnings do not count"),
];

pub const EXIT_CODES: [(u8, &str); 5] = [
    (0, "success"),
    (1, "the check failed"),
    (
        2,
        "usage error, errors in a spec, or failed input or output",
    ),
    (
        3,
        "`health`: no condition is true, but some could not be checked",
    ),
    (130, "stopped with Ctrl-C"),
];

pub(super) fn grouped(command: Command) -> Command {
    let template = template(&command);
    command.help_template(template)
}

fn template(command: &Command) -> String {
    let styles = command.get_styles();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (title, names) in GROUPS {
        text += &format!("\n{header}{title}:{header:#}\n");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            text += &format!("  {literal}{name:<11}{literal:#}  {about}\n");
        }
    }
    text += &format!("\n{header}Global options:{header:#}\n{{options}}\n\n");
    text += "Run `slosmith COMMAND --help` for options and examples.\nExit codes:";
    for (code, meaning) in EXIT_CODES {
        text += &format!("\n  {code:<3}  {meaning}");
    }
    text
}
