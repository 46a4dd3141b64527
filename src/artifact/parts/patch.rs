//! Values that are put into another file: `set` of Helm, a patch of Kustomize.

use crate::artifact::field::{text, word};
use crate::artifact::reader::Reader;
use crate::artifact::{Kind, Role};
use crate::promql::{Dialect, parse_with};
use crate::yaml::{Body, Node};

/// Last keys of places where a query belongs.
const KEYS: [&str; 4] = ["expr", "metricsQuery", "promql", "query"];

/// Reads `{name: a.b.expr, value: …}` and `{path: /a/b/query, value: …}`. Other databases have queries at such places,
/// too: what is not PromQL is none.
pub(super) fn value(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, of: &str) -> bool {
    let place = word(node, &["path"]).or_else(|| word(node, &["name"]));
    let key = place.and_then(|place| place.rsplit(['.', '/']).next());
    let Some(key) = key.filter(|key| KEYS.contains(key)) else {
        return false;
    };
    let query = text(body, node, &["value"]);
    let Some(query) = query.filter(|q| parse_with(&q.value, Dialect::Template).is_ok()) else {
        return false;
    };
    reader.is(Kind::Scaler);
    let (part, of) = (key.to_owned(), of.to_owned());
    reader.query(query, Dialect::Template, Role::Part { part, of });
    true
}
