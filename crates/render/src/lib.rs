//! From a plan to files: the template engine ([`template`]), one folder for each output ([`target`]), the first files of a project
//! ([`starter`]), and the folders that are compared and written ([`output`]).

pub mod output;
pub mod starter;
pub mod target;
pub mod template;
