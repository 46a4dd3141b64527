//! Where the panels of a row are: single values side by side, graphs two or three to a line, or as the author says.
//!
//! ```
//! use slosmith_plan::plan::layout::{Place, Size, places};
//!
//! let [left, right] = places(&[Size::Large, Size::Large])[..] else { panic!("two places") };
//! assert_eq!(left, Place { x: 0, y: 0, w: 12, h: 9 });
//! assert_eq!(right, Place { x: 12, ..left });
//! ```

use serde::Deserialize;

/// Columns of the grid that positions in specs count on; a target with another grid scales to it.
pub const COLUMNS: u32 = 24;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// A single value: many fit beside each other.
    Small,
    Large,
    Fixed(u32, u32),
    /// A place that the author gave, from the top of the row.
    At(Place),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Place {
    pub x: u32,
    pub y: u32,
    pub w: u32,
    pub h: u32,
}

impl Place {
    pub fn overlaps(self, other: Self) -> bool {
        self.x < other.x + other.w
            && other.x < self.x + self.w
            && self.y < other.y + other.h
            && other.y < self.y + self.h
    }
}

/// Lines of a single value.
const SMALL: u32 = 5;

/// Lines of a graph: less cuts the third line of its legend.
const LARGE: u32 = 9;

pub fn places(sizes: &[Size]) -> Vec<Place> {
    let given = sizes.iter().filter_map(|size| match size {
        Size::At(place) => Some(place.y + place.h),
        _ => None,
    });
    // Panels that flow are below those that have a place.
    let mut flow = Flow {
        y: given.max().unwrap_or(0),
        ..Flow::default()
    };
    let place = |(i, size): (usize, &Size)| match *size {
        Size::At(place) => place,
        Size::Fixed(w, h) => flow.next(w, h),
        Size::Small | Size::Large => {
            let (w, h) = usual(sizes, i);
            flow.next(w, h)
        }
    };
    sizes.iter().enumerate().map(place).collect()
}

pub fn height(places: impl Iterator<Item = Place>) -> u32 {
    places.map(|place| place.y + place.h).max().unwrap_or(0)
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
