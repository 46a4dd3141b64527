//! JSON that goes through a template as it is, without a copy of it in the engine's own values.

use std::sync::Arc;

use minijinja::value::{Enumerator, Kwargs, Object, ObjectRepr, Serde};
use minijinja::{Error, ErrorKind, Value};
use serde::{Serialize, Serializer};

/// JSON that templates print with `tojson`; they can look into it as well.
#[derive(Clone, Debug)]
pub(crate) struct Tree(Arc<Json>);

#[derive(Debug)]
struct Json(serde_json::Value);

impl From<serde_json::Value> for Tree {
    fn from(value: serde_json::Value) -> Self {
        Self(Arc::new(Json(value)))
    }
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Value::from_dyn_object(Arc::clone(&self.0)).serialize(serializer)
    }
}

impl Object for Json {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        match &self.0 {
            serde_json::Value::Object(_) => ObjectRepr::Map,
            serde_json::Value::Array(_) => ObjectRepr::Seq,
            _ => ObjectRepr::Plain,
        }
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let found = match key.as_str() {
            Some(name) => self.0.get(name),
            None => self.0.get(key.as_usize()?),
        };
        found.map(|value| Value::from(Serde(value)))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        match &self.0 {
            serde_json::Value::Object(map) => {
                Enumerator::Values(map.keys().map(|key| Value::from(key.as_str())).collect())
            }
            serde_json::Value::Array(list) => Enumerator::Seq(list.len()),
            _ => Enumerator::NonEnumerable,
        }
    }
}

/// `tojson` of the engine, and the same for a tree, which nobody puts into HTML.
pub(super) fn tojson(
    value: &Value,
    indent: Option<Value>,
    options: Kwargs,
) -> Result<Value, Error> {
    match value.downcast_object_ref::<Json>() {
        Some(Json(tree)) if indent.is_none() && options.args().next().is_none() => {
            let text = serde_json::to_string(tree);
            let wrong =
                |e: serde_json::Error| Error::new(ErrorKind::BadSerialization, e.to_string());
            text.map(Value::from_safe_string).map_err(wrong)
        }
        _ => minijinja::filters::tojson(value, indent, options),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn templates_print_a_tree_and_look_into_it() {
        let tree = Tree::from(json!({"b": [1, {"c": "x<y"}], "a": null}));
        let mut environment = minijinja::Environment::new();
        environment.add_filter("tojson", tojson);
        for (template, shown) in [
            ("{{ t|tojson }}", r#"{"b":[1,{"c":"x<y"}],"a":null}"#),
            (
                "{{ t.b[1].c }} {{ t.b|length }} {{ t|list|join(',') }}",
                "x<y 2 b,a",
            ),
            ("{{ t.missing is defined }}", "False"),
        ] {
            let text = environment.render_str(template, Serde(View { t: &tree }));
            assert_eq!(text.expect("renders"), shown, "{template}");
        }
    }

    #[derive(Serialize)]
    struct View<'a> {
        t: &'a Tree,
    }
}
