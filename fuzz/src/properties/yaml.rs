//! YAML of any shape.

use slosmith::source::FileId;
use slosmith::yaml::{self, Allowance, Body, Kind, Node, tree};

use super::{MARK, fits, text};

const FILE: FileId = FileId(0);

/// Any text is read or refused with a place; every scalar leads back to the bytes that spell it.
pub fn yaml(data: &[u8]) {
    let Some(text) = text(data) else { return };
    if let Err(fault) = yaml::read::<serde_json::Value>(FILE, text) {
        fits(text, fault.span.range());
    }
    let read = tree(FILE, text, &mut Allowance::default());
    let body = Body::new(FILE, text);
    match &read {
        Ok(documents) => documents.iter().for_each(|d| placed(&body, d)),
        Err(fault) => fits(text, fault.span.range()),
    }
    if text.starts_with(MARK) {
        return;
    }
    let marked = format!("{MARK}{text}");
    match (read, tree(FILE, &marked, &mut Allowance::default())) {
        (Ok(plain), Ok(marked)) => {
            assert_eq!(plain.len(), marked.len());
            for (a, b) in plain.iter().zip(&marked) {
                moved(a, b);
            }
        }
        (Err(a), Err(b)) => {
            assert_eq!(a.message, b.message);
            assert_eq!(a.span.start + 3, b.span.start.max(3));
        }
        (plain, marked) => panic!("{plain:?} but {marked:?}"),
    }
}

fn placed(body: &Body<'_>, node: &Node<'_>) {
    fits(body.text(), node.range());
    if let (Some(text), Some(map)) = (body.read(node), body.map(node))
        && map.is_exact()
    {
        assert_eq!(map.decode(body.text()).as_deref(), Some(&*text.value));
        for at in (0..text.value.len()).filter(|at| text.value.is_char_boundary(*at)) {
            fits(body.text(), map.span(at..text.value.len()).range());
        }
    }
    node.items().iter().for_each(|item| placed(body, item));
    for (key, value) in node.entries() {
        placed(body, key);
        placed(body, value);
    }
}

/// The same tree, three bytes further.
fn moved(a: &Node<'_>, b: &Node<'_>) {
    let empty = a.start == a.end;
    assert!(
        empty || (a.start + 3, a.end + 3) == (b.start, b.end),
        "{a:?} {b:?}"
    );
    match (&a.kind, &b.kind) {
        (Kind::Scalar(a), Kind::Scalar(b)) => assert_eq!(a, b),
        (Kind::Seq(a), Kind::Seq(b)) => {
            assert_eq!(a.len(), b.len());
            a.iter().zip(b).for_each(|(a, b)| moved(a, b));
        }
        (Kind::Map(a), Kind::Map(b)) => {
            assert_eq!(a.len(), b.len());
            for ((ka, va), (kb, vb)) in a.iter().zip(b) {
                moved(ka, kb);
                moved(va, vb);
            }
        }
        _ => panic!("{a:?} {b:?}"),
    }
}
