//! What the PromQL parser says of queries: a JSON string a line in, a JSON object a line out.
//!
//! `tools/promql-differential` compares it with Prometheus's own parser.

use std::io::{self, BufRead, Write};

use serde_json::{Value, json};
use slosmith::promql::{parse, pretty, requirements, value_type};

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let query: String = serde_json::from_str(&line?)?;
        serde_json::to_writer(&mut out, &verdict(&query))?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

fn verdict(query: &str) -> Value {
    match parse(query) {
        Ok(expr) => json!({
            "ok": true,
            "type": value_type(&expr).to_string(),
            "since": requirements(&expr).iter().map(|need| need.since).max().map_or([0, 0], |since| [since.0, since.1]),
            "printed": [expr.to_string(), pretty(&expr, 20)],
        }),
        Err(error) => json!({"ok": false, "error": error.message}),
    }
}
