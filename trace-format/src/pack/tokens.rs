//! The tokens by their numbers: [`mod@super`] says what stands behind each.

/// The predicted cell, each word as predicted.
pub const AS_PREDICTED: u8 = 0;
/// The predicted cell with changes.
pub const PREDICTED: u8 = 1;
/// A cell that is named: a record that was there before, word for word.
pub const AGAIN: u8 = 2;
/// A new cell, made of one that is named, with changes.
pub const DERIVED: u8 = 3;
/// A new cell, whose words follow as they are.
pub const NEW: u8 = 4;
/// All cells are forgotten; no record.
pub const FORGET: u8 = 5;
/// A cell that is named, with changes.
pub const IN_PLACE: u8 = 6;
/// So many records of predicted cells, as predicted, when they are expected.
pub const RUN: u8 = 7;
/// As [`AS_PREDICTED`], and when the cell is expected from now on.
pub const LEARN: u8 = 8;
/// The cell that may come instead of the predicted one, each word as predicted.
pub const OTHER: u8 = 9;
/// The cell that may come instead of the predicted one, with changes.
pub const OTHER_CHANGED: u8 = 10;
