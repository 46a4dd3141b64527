//! Where panels stand: single values side by side, graphs two or three to a line, or as the author says.

use super::{Draft, Size};
use crate::diag::{Diagnostic, Sink};
use crate::plan::dashboard::{COLUMNS, Panel, Place};
use crate::source::Span;

/// Lines of a single value.
const SMALL: u32 = 5;

/// Lines of a graph: less cuts the third line of its legend.
const LARGE: u32 = 9;

/// Gives every panel of a row its place.
pub(super) fn place(sink: &mut Sink, drafts: Vec<Draft>) -> Vec<Panel> {
    let mut taken: Vec<(Place, Span)> = Vec::new();
    let sizes: Vec<Size> = drafts.iter().map(|draft| draft.size).collect();
    let mut panels: Vec<Panel> = drafts.into_iter().map(|draft| draft.panel).collect();
    let mut flow = Flow::default();
    for (i, panel) in panels.iter_mut().enumerate() {
        panel.place = match sizes[i] {
            Size::At(position) => {
                let p = position.value;
                let place = Place {
                    x: p.x,
                    y: p.y,
                    w: p.w,
                    h: p.h,
                };
                if check(sink, place, position.span, &taken) {
                    taken.push((place, position.span));
                }
                place
            }
            Size::Fixed(w, h) => flow.next(w, h),
            Size::Small | Size::Large => {
                let (w, h) = usual(&sizes, i);
                flow.next(w, h)
            }
        };
    }
    // Panels that flow stand below those that have a place.
    let below = taken.iter().map(|(place, _)| place.y + place.h).max();
    for (panel, size) in panels.iter_mut().zip(sizes) {
        if !matches!(size, Size::At(_)) {
            panel.place.y += below.unwrap_or(0);
        }
    }
    panels
}

/// A place must lie on the grid, and on no other panel.
fn check(sink: &mut Sink, place: Place, at: Span, taken: &[(Place, Span)]) -> bool {
    let outside = place.w == 0 || place.h == 0 || place.x + place.w > COLUMNS;
    if outside {
        let message = format!("the panel does not fit on the grid of {COLUMNS} columns");
        let error = Diagnostic::error("bad-position", at, message);
        sink.push(error.help(format!(
            "`w` and `h` are at least 1, `x` + `w` at most {COLUMNS}"
        )));
        return false;
    }
    let Some((_, other)) = taken.iter().find(|(other, _)| other.overlaps(place)) else {
        return true;
    };
    let error = Diagnostic::error("overlapping-panels", at, "the panel overlaps another one");
    sink.push(error.related(*other, "the other is here"));
    false
}

/// Columns and lines of a panel, by how many of its size stand beside it.
fn usual(sizes: &[Size], i: usize) -> (u32, u32) {
    let alike = |size: &&Size| **size == sizes[i];
    let before = sizes[..i].iter().rev().take_while(alike).count();
    let after = sizes[i + 1..].iter().take_while(alike).count();
    let count = u32::try_from(before + 1 + after).unwrap_or(1);
    let last = after == 0;
    if sizes[i] == Size::Small {
        // Up to six in one line, as even as possible.
        let lines = count.div_ceil(6);
        return (COLUMNS / count.div_ceil(lines), SMALL);
    }
    let width = match count {
        1 => COLUMNS,
        n if n % 3 == 0 => COLUMNS / 3,
        n if n % 2 == 1 && last => COLUMNS,
        _ => COLUMNS / 2,
    };
    (width, LARGE)
}

/// Panels one after the other, as words in a text.
#[derive(Default)]
struct Flow {
    x: u32,
    y: u32,
    /// The tallest panel of the line.
    line: u32,
}

impl Flow {
    fn next(&mut self, w: u32, h: u32) -> Place {
        if self.x + w > COLUMNS {
            self.x = 0;
            self.y += self.line;
            self.line = 0;
        }
        let place = Place {
            x: self.x,
            y: self.y,
            w,
            h,
        };
        self.x += w;
        self.line = self.line.max(h);
        place
    }
}
