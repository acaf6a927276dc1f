//! The HTML report: one file that needs no server and no network. The data are an island of JSON in the page; its
//! scripts put them into the document as text only, since every name in them is somebody else's.

mod data;

use crate::clean;
use crate::rendering::{Needs, Rendering};
use crate::report::Report;
use data::Data;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");

/// In this order: each script uses only those before it.
const SCRIPTS: &[&str] = &[
    include_str!("js/dom.js"),
    include_str!("js/words.js"),
    include_str!("js/model.js"),
    include_str!("js/source.js"),
    include_str!("js/graph.js"),
    include_str!("js/scene.js"),
    include_str!("js/cells.js"),
    include_str!("js/draw.js"),
    include_str!("js/pointing.js"),
    include_str!("js/timeline.js"),
    include_str!("js/explain.js"),
    include_str!("js/findings.js"),
    include_str!("js/head.js"),
    include_str!("js/tables.js"),
    include_str!("js/statistics.js"),
    include_str!("js/keys.js"),
    include_str!("js/main.js"),
];

pub(crate) const FORMAT: Rendering = Rendering {
    name: "html",
    help: Some("A page for a browser, in one file: findings with their sources, a time line of all ranks"),
    extension: "html",
    render: |report, _| render(report),
    failure: |why| render(&Report::failed(why)),
    needs: Needs { statistics: true, timeline: true, protocol: false },
};

fn render(report: &Report) -> String {
    let data = serde_json::to_string(&Data::new(report)).unwrap_or_else(|_| "{}".into());
    let script = format!("(() => {{\n\"use strict\";\n{}}})();\n", SCRIPTS.concat());
    let title = text(&report.task.program);
    fill(PAGE, &[("title", &title), ("style", STYLE), ("data", &island(&data)), ("script", &script)])
}

/// Puts values into the places `<!--name-->` of the page, in one pass: a value may hold anything.
fn fill(page: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(page.len() + values.iter().map(|v| v.1.len()).sum::<usize>());
    let mut rest = page;
    while let Some((before, behind)) = rest.split_once("<!--") {
        let Some((name, behind)) = behind.split_once("-->") else { break };
        out.push_str(before);
        out.extend(values.iter().filter(|v| v.0 == name).map(|v| v.1));
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// JSON that cannot end the element which it stands in, nor begin another, nor turn the direction of writing: not all
/// that is in it was cleaned before, such as the lines of sources.
fn island(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 32);
    for c in json.chars() {
        match c {
            // In JSON these characters stand in strings only.
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            c => out.push(clean::shown(c)),
        }
    }
    out
}

/// Text of the document.
fn text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_leave_their_element() {
        let hostile = "</script><img src=x onerror=alert(1)>&\n\t\x1b\u{2028}\u{202e}\u{7f}\u{9b}Gr\u{fc}\u{df}e<!--";
        let json = island(&serde_json::to_string(hostile).unwrap());
        assert!(!json.contains(['<', '>', '&', '\u{2028}', '\u{202e}', '\u{7f}', '\u{9b}']), "{json}");
        let shown = hostile.replace(['\u{2028}', '\u{202e}', '\u{9b}'], "\u{fffd}").replace('\u{7f}', "\u{2421}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), shown);
        assert_eq!(text("<a b=\"&\">"), "&lt;a b=&quot;&amp;&quot;&gt;");
    }

    #[test]
    fn values_are_not_looked_into() {
        let page = fill("a <!--x--> b <!--y--> c", &[("x", "1 <!--y-->"), ("y", "2")]);
        assert_eq!(page, "a 1 <!--y--> b 2 c");
    }

    #[test]
    fn the_page_itself_refers_to_nothing_outside() {
        for text in [PAGE, STYLE].iter().chain(SCRIPTS) {
            for wrong in ["http://", "https://", "src=", "@import", "url(", "innerHTML", "eval(", "document.write"] {
                // The name of the namespace of SVG is no address, and `url(#` is a place in the page.
                let text = text.replace("http://www.w3.org/2000/svg", "").replace("url(#", "");
                assert!(!text.contains(wrong), "{wrong}");
            }
        }
        assert!(PAGE.contains("default-src 'none'"));
    }
}
