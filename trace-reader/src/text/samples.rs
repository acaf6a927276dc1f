//! Readings of performance variables in the notation.

use std::fmt::Write as _;
use trace_format::sample::{Reading, Sample};

/// One line; the inverse of [`parse_sample`].
pub fn format_sample(sample: &Sample) -> String {
    let Sample { variable, comm, total, most, place, elements } = sample;
    let mut text = format!("sample {variable} {total}");
    if let Some(comm) = comm {
        _ = write!(text, " of c{comm}");
    }
    if *elements > 1 {
        _ = write!(text, " most {most} at {place}/{elements}");
    }
    text
}

/// Reads what stands behind the word `sample`.
pub fn parse_sample(text: &str) -> Result<Sample, String> {
    let mut words = text.split_whitespace();
    let variable = words.next().ok_or("expected the name of a variable")?.to_owned();
    let total = reading(words.next().unwrap_or_default())?;
    let mut sample = Sample { variable, comm: None, total, most: total, place: 0, elements: 1 };
    let number = |text: &str| text.parse::<u32>().map_err(|_| format!("`{text}` is no number"));
    while let Some(word) = words.next() {
        let what = words.next().ok_or_else(|| format!("nothing behind `{word}`"))?;
        match word {
            "of" => sample.comm = Some(number(what.trim_start_matches('c'))?),
            "most" => sample.most = reading(what)?,
            "at" => {
                let (place, elements) = what.split_once('/').ok_or("expected place/elements")?;
                (sample.place, sample.elements) = (number(place)?, number(elements)?);
            }
            _ => return Err(format!("`{word}` says nothing of a sample")),
        }
    }
    Ok(sample)
}

fn reading(text: &str) -> Result<Reading, String> {
    let whole = text.parse::<i64>().map(Reading::Whole);
    whole
        .or_else(|_| text.parse::<f64>().map(|v| Reading::Real(v.to_bits())))
        .map_err(|_| format!("`{text}` is no number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_text_and_back() {
        for text in ["sample a 3", "sample b 1.5", "sample q 200 of c1 most 199 at 3/4", "sample q -1 of c7"] {
            let sample = parse_sample(text.strip_prefix("sample ").unwrap()).unwrap();
            assert_eq!(format_sample(&sample), text);
        }
        for wrong in ["", "a", "a b", "a 1 of", "a 1 at 3", "a 1 by 2"] {
            assert!(parse_sample(wrong).is_err(), "{wrong}");
        }
    }
}
