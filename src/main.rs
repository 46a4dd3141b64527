//! The slosmith command.

fn main() -> std::process::ExitCode {
    slosmith::cli::main()
}
