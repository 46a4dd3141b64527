//! Which branches of a template are read together.
//!
//! Branches of one `if` exclude each other, those of two may hold at once: a text needs as many readings as its longest
//! chain has branches, with what each branch needs itself.

use super::action::{Action, What};

pub(super) struct Readings {
    /// Those of the branch behind each action; 0 behind what begins none.
    behind: Vec<u32>,
    /// Those of the whole chain that an action opens; 0 for other actions.
    chains: Vec<u32>,
    whole: u32,
}

/// What a reading keeps at an action.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    pub(super) itself: bool,
    pub(super) follows: bool,
}

struct Count {
    opened: usize,
    /// Where its current branch begins.
    branch: usize,
    /// What the branches before need.
    before: u32,
    current: u32,
}

#[derive(Clone, Copy)]
struct Choice {
    /// Whether the chain itself is there.
    within: bool,
    /// How many readings are still to be passed; none once a branch is chosen.
    left: Option<u32>,
    /// Whether the current branch is chosen, and which reading of it.
    current: Option<u32>,
}

impl Readings {
    pub(super) fn of(actions: &[Action]) -> Self {
        let mut counted = Self {
            behind: vec![0; actions.len()],
            chains: vec![0; actions.len()],
            whole: 1,
        };
        let mut open: Vec<Count> = Vec::new();
        for (at, action) in actions.iter().enumerate() {
            match action.what {
                What::Open => open.push(Count {
                    opened: at,
                    branch: at,
                    before: 0,
                    current: 1,
                }),
                What::Else => {
                    if let Some(chain) = open.last_mut() {
                        counted.behind[chain.branch] = chain.current;
                        chain.before = chain.before.saturating_add(chain.current);
                        (chain.branch, chain.current) = (at, 1);
                    }
                }
                What::End => {
                    if let Some(chain) = open.pop() {
                        counted.close(&chain, open.last_mut());
                    }
                }
                _ => {}
            }
        }
        while let Some(chain) = open.pop() {
            counted.close(&chain, open.last_mut());
        }
        counted
    }

    fn close(&mut self, chain: &Count, around: Option<&mut Count>) {
        let all = chain.before.saturating_add(chain.current);
        self.behind[chain.branch] = chain.current;
        self.chains[chain.opened] = all;
        let needed = around.map_or(&mut self.whole, |around| &mut around.current);
        *needed = all.max(*needed);
    }

    pub(super) fn count(&self) -> u32 {
        self.whole
    }

    pub(super) fn keep(&self, actions: &[Action], reading: u32) -> Vec<Kept> {
        let mut open: Vec<Choice> = Vec::new();
        let kept = actions.iter().enumerate().map(|(at, action)| {
            let current = open.last().map_or(Some(reading), |choice| choice.current);
            let mut itself = current.is_some();
            match action.what {
                What::Open => {
                    // A chain with fewer readings than the text shows its first again.
                    let left = current.map(|n| if n < self.chains[at] { n } else { 0 });
                    open.push(Choice::new(current.is_some(), left, self.behind[at]));
                }
                What::Else => {
                    if let Some(choice) = open.last_mut() {
                        *choice = Choice::new(choice.within, choice.left, self.behind[at]);
                        itself = choice.within;
                    }
                }
                What::End => {
                    if let Some(choice) = open.pop() {
                        itself = choice.within;
                    }
                }
                _ => {}
            }
            let follows = open.last().is_none_or(|choice| choice.current.is_some());
            Kept { itself, follows }
        });
        kept.collect()
    }
}

impl Choice {
    /// Goes on to a branch that needs `size` readings.
    fn new(within: bool, left: Option<u32>, size: u32) -> Self {
        let current = left.filter(|left| *left < size);
        let left = match current {
            Some(_) => None,
            None => left.map(|left| left - size),
        };
        Self {
            within,
            left,
            current,
        }
    }
}
