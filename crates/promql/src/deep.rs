//! What Rust would derive for trees, but with room for deep ones.

use std::fmt;
use std::mem::replace;

use super::ast::{Expr, ExprKind};
use super::room::with_room;

impl Clone for Expr {
    fn clone(&self) -> Self {
        let kind = with_room(|| self.kind.clone());
        let span = self.span.clone();
        Self { kind, span }
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.span == other.span && with_room(|| self.kind == other.kind)
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Expr");
        with_room(|| out.field("kind", &self.kind));
        out.field("span", &self.span).finish()
    }
}

impl Drop for Expr {
    fn drop(&mut self) {
        match &self.kind {
            ExprKind::Number(_)
            | ExprKind::String(_)
            | ExprKind::Selector(_)
            | ExprKind::Range(_)
            | ExprKind::Placeholder(_) => {}
            _ => with_room(|| drop(self.take())),
        }
    }
}

impl Expr {
    /// Takes the kind out, and leaves an expression that is none.
    pub fn take(&mut self) -> ExprKind {
        replace(&mut self.kind, ExprKind::Invalid(Vec::new()))
    }
}
