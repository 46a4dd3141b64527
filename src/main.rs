//! The slosmith command.

/// Files are read as many small values; the system's allocator takes a fifth longer over a large one.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    slosmith::cli::main()
}
