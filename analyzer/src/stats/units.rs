//! Numbers as people read them.

/// `1.23 s`, `45.6 ms`, `7.89 us`, `12 ns`.
pub(super) fn time(seconds: f64) -> String {
    let ns = seconds * 1e9;
    match ns {
        n if n < 0.5 => "0".to_owned(),
        n if n < 999.5 => format!("{n:.0} ns"),
        n if n < 999.5e3 => format!("{} us", three(n / 1e3)),
        n if n < 999.5e6 => format!("{} ms", three(n / 1e6)),
        n => format!("{} s", three(n / 1e9)),
    }
}

/// `0 B`, `1023 B`, `1.50 KiB`.
pub(super) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let unit = if bytes == 0 { 0 } else { (bytes.ilog2() / 10) as usize };
    match unit {
        0 => format!("{bytes} B"),
        _ => format!("{} {}", three(bytes as f64 / (1u64 << (10 * unit)) as f64), UNITS[unit]),
    }
}

/// Bytes from one power of two to the next: `0 B`, `1 B`, `2-3 B`, `1-2 KiB` (without the last).
pub(super) fn span(from: u64, to: u64) -> String {
    if to <= 1023 {
        return if from == to { format!("{from} B") } else { format!("{from}-{to} B") };
    }
    let whole = |b: u64| {
        let unit = (b.ilog2() / 10) as usize;
        (b >> (10 * unit), ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][unit])
    };
    let ((a, unit), (b, next)) = (whole(from), whole(to.checked_add(1).unwrap_or(to)));
    if unit == next { format!("{a}-{b} {unit}") } else { format!("{a} {unit} - {b} {next}") }
}

pub(super) fn percent(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.1}", 100.0 * part / whole) } else { "-".to_owned() }
}

/// Three digits that count.
fn three(value: f64) -> String {
    match value {
        v if v < 9.995 => format!("{v:.2}"),
        v if v < 99.95 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_a_unit() {
        let times = [0.0, 1e-9, 9.994e-7, 9.996e-7, 1.2345e-5, 0.09996, 1.5, 1234.5];
        assert_eq!(times.map(time), ["0", "1 ns", "999 ns", "1.00 us", "12.3 us", "100 ms", "1.50 s", "1234 s"]);
        assert_eq!([0, 1023, 1024, 1536, 5 << 30].map(bytes), ["0 B", "1023 B", "1.00 KiB", "1.50 KiB", "5.00 GiB"]);
        assert_eq!(bytes(u64::MAX), "16.0 EiB");
        let spans = [(0, 0), (1, 1), (2, 3), (512, 1023), (1024, 2047), (1 << 19, (1 << 20) - 1), (1 << 63, u64::MAX)];
        let texts = spans.map(|(from, to)| span(from, to));
        assert_eq!(texts[..5], ["0 B", "1 B", "2-3 B", "512-1023 B", "1-2 KiB"]);
        assert_eq!(texts[5..], ["512 KiB - 1 MiB", "8-15 EiB"]);
        assert_eq!((percent(1.0, 3.0), percent(1.0, 0.0)), ("33.3".into(), "-".into()));
    }
}
