//! Writes the seeds of all targets to `corpus/`.

use std::path::Path;

use slosmith_fuzz::properties::TARGETS;
use slosmith_fuzz::seeds::seeds;

fn main() -> std::io::Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.parent().unwrap_or(here);
    for (target, _) in TARGETS {
        let folder = here.join("corpus").join(target);
        std::fs::create_dir_all(&folder)?;
        let seeds = seeds(root, target);
        for (n, seed) in seeds.iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{n}")), seed)?;
        }
        println!("{target}: {} seeds", seeds.len());
    }
    Ok(())
}
