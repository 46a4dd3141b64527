//! The committed text: one line per item, so that a change shows as what it is.

use serde::Serialize;

use super::Index;

impl Index {
    pub fn to_json(&self) -> String {
        let mut out = format!("{{\n\"product\":{},\n", text(&self.product));
        list(&mut out, "releases", &self.releases);
        list(&mut out, "labels", &self.labels);
        list(&mut out, "buckets", &self.buckets);
        out.push_str("\"families\":{\n");
        let lines = self
            .families
            .iter()
            .map(|(name, family)| format!("{}:{}", text(name), text(family)));
        out.push_str(&lines.collect::<Vec<_>>().join(",\n"));
        out.push_str("\n},\n\"lineage\":");
        out.push_str(&text(&self.lineage));
        out.push_str(",\n\"foreign\":");
        out.push_str(&text(&self.foreign));
        out.push_str("\n}\n");
        out
    }
}

fn list<T: Serialize>(out: &mut String, name: &str, items: &[T]) {
    let lines: Vec<_> = items.iter().map(text).collect();
    out.push_str(&format!("\"{name}\":[\n{}\n],\n", lines.join(",\n")));
}

fn text<T: Serialize + ?Sized>(item: &T) -> String {
    serde_json::to_string(item).unwrap_or_default()
}
