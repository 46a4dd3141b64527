//! JSON that goes through a template as it is, without a copy of it in the engine's own values.

use std::sync::{Arc, OnceLock};

use minijinja::value::{Enumerator, Kwargs, Object, ObjectRepr, Serde};
use minijinja::{Error, Value};
use serde::{Serialize, Serializer};

use slosmith_text::source::holds_only;

/// JSON that templates print with `tojson`; they can look into it as well.
#[derive(Clone, Debug)]
pub struct Tree(Arc<Json>);

#[derive(Debug)]
struct Json {
    /// What is printed: a text that is safe in HTML.
    text: Value,
    /// The same as a value, once a template has looked into it.
    value: OnceLock<serde_json::Value>,
}

impl Json {
    fn text(&self) -> &str {
        self.text.as_str().unwrap_or_default()
    }
    fn value(&self) -> &serde_json::Value {
        let read = || serde_json::from_str(self.text()).unwrap_or_default();
        self.value.get_or_init(read)
    }
}

impl Tree {
    /// The JSON of a value, whose maps have texts as keys; of anything else it is empty, which is no JSON.
    pub fn of(value: &impl Serialize) -> Self {
        let text = Value::from_safe_string(serde_json::to_string(value).unwrap_or_default());
        let value = OnceLock::new();
        Self(Arc::new(Json { text, value }))
    }
}

impl Default for Tree {
    fn default() -> Self {
        Self::of(&[(); 0])
    }
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Value::from_dyn_object(Arc::clone(&self.0)).serialize(serializer)
    }
}

impl Object for Json {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        match self.text().as_bytes().first() {
            Some(b'{') => ObjectRepr::Map,
            Some(b'[') => ObjectRepr::Seq,
            _ => ObjectRepr::Plain,
        }
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let found = match key.as_str() {
            Some(name) => self.value().get(name),
            None => self.value().get(key.as_usize()?),
        };
        found.map(|value| Value::from(Serde(value)))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        match self.value() {
            serde_json::Value::Object(map) => {
                Enumerator::Values(map.keys().map(|key| Value::from(key.as_str())).collect())
            }
            serde_json::Value::Array(list) => Enumerator::Seq(list.len()),
            _ => Enumerator::NonEnumerable,
        }
    }
}

/// `tojson` of the engine. Texts and trees take a shorter way to the same result; trees are never put into HTML.
pub(super) fn tojson(
    value: &Value,
    indent: Option<Value>,
    options: Kwargs,
) -> Result<Value, Error> {
    if indent.is_some() || options.args().next().is_some() {
        return minijinja::filters::tojson(value, indent, options);
    }
    match (value.as_str(), value.downcast_object_ref::<Json>()) {
        (Some(text), _) => Ok(Value::from_safe_string(string(text))),
        (None, Some(tree)) => Ok(tree.text.clone()),
        (None, None) => minijinja::filters::tojson(value, indent, options),
    }
}

/// A string of JSON that is harmless in HTML as well.
fn string(text: &str) -> String {
    // Printing a text cannot fail.
    let json = serde_json::to_string(text).unwrap_or_default();
    if holds_only(&json, |b| !matches!(b, b'<' | b'>' | b'&' | b'\'')) {
        return json;
    }
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\'', "\\u0027")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn templates_print_a_tree_and_look_into_it() {
        let tree = Tree::of(&json!({"b": [1, {"c": "x<y"}], "a": null}));
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

    proptest::proptest! {
        #[test]
        fn texts_are_printed_as_the_engine_prints_them(text in "(?s)(.|[<>&'\"\\\\\\x00-\\x1f])*") {
            let none = || Kwargs::from_iter([] as [(&str, Value); 0]);
            let text = Value::from(text);
            let ours = tojson(&text, None, none()).expect("prints");
            let engine = tojson(&text, Some(Value::from(false)), none()).expect("prints");
            proptest::prop_assert_eq!(ours, engine);
        }
    }

    #[derive(Serialize)]
    struct View<'a> {
        t: &'a Tree,
    }
}
