//! A real browser without a window, driven over WebDriver (<https://www.w3.org/TR/webdriver2/>): Chromium by chromedriver.

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Chromium must not look for anything in the network, and leave the profile of the user alone.
const FLAGS: [&str; 11] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--window-size=1400,1000",
];

/// Limit of the time for an answer of the browser.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: tempfile::TempDir,
}

impl Browser {
    pub fn start() -> Result<Browser> {
        let missing =
            "chromedriver is missing: scripts/install-deps installs it, with Chromium (Debian: chromium-driver)";
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context(missing)?;
        let profile = tempfile::tempdir()?;
        let port = port_of(&mut driver).inspect_err(|_| end(&mut driver))?;
        let mut browser = Browser { driver, port, session: String::new(), _profile: profile };
        let mut args: Vec<String> = FLAGS.map(str::to_owned).to_vec();
        args.push(format!("--user-data-dir={}", browser._profile.path().display()));
        let wanted = json!({ "goog:chromeOptions": { "args": args }, "goog:loggingPrefs": { "browser": "ALL" } });
        let answer = browser.ask("POST", "/session", &json!({ "capabilities": { "alwaysMatch": wanted } }))?;
        browser.session = answer["sessionId"].as_str().context("no session")?.to_owned();
        Ok(browser)
    }

    fn command(&self, method: &str, path: &str, body: &Value) -> Result<Value> {
        self.ask(method, &format!("/session/{}{path}", self.session), body)
    }

    /// Opens a file; how long it took until the page was ready, its own scripts included.
    pub fn open(&self, page: &Path) -> Result<Duration> {
        let url = format!("file://{}", page.canonicalize()?.display());
        let start = Instant::now();
        self.command("POST", "/url", &json!({ "url": url }))?;
        Ok(start.elapsed())
    }

    /// The value of an expression of JavaScript.
    pub fn value(&self, expression: &str) -> Result<Value> {
        self.command("POST", "/execute/sync", &json!({ "script": format!("return {expression};"), "args": [] }))
            .with_context(|| expression.to_owned())
    }

    /// Waits until an expression is true.
    pub fn wait_for(&self, expression: &str) -> Result<()> {
        let until = Instant::now() + Duration::from_secs(10);
        while self.value(expression)? != json!(true) {
            ensure!(Instant::now() < until, "this does not become true: {expression}");
            std::thread::sleep(Duration::from_millis(30));
        }
        Ok(())
    }

    /// Clicks the element that a CSS selector finds.
    pub fn click(&self, selector: &str) -> Result<()> {
        let id = self.element(selector)?;
        // Elements that stick to the edges of the window must not lie over it.
        self.value(&format!("document.querySelector({}).scrollIntoView({{ block: 'center' }})", json!(selector)))?;
        self.command("POST", &format!("/element/{id}/click"), &json!({})).map(drop)
    }

    /// Types into the element that a CSS selector finds.
    pub fn type_into(&self, selector: &str, text: &str) -> Result<()> {
        let id = self.element(selector)?;
        self.command("POST", &format!("/element/{id}/value"), &json!({ "text": text })).map(drop)
    }

    /// Presses keys, one after the other, wherever the focus is.
    pub fn press(&self, keys: &[&str]) -> Result<()> {
        let strokes =
            keys.iter().flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key })));
        let actions = json!({ "actions": [{ "type": "key", "id": "keys", "actions": strokes.collect::<Vec<_>>() }] });
        self.command("POST", "/actions", &actions).map(drop)
    }

    /// Turns the wheel over the middle of an element.
    pub fn wheel(&self, selector: &str, by: i32) -> Result<()> {
        let element = json!({ ELEMENT: self.element(selector)? });
        let turn = json!({ "type": "scroll", "x": 0, "y": 0, "deltaX": 0, "deltaY": by, "origin": element });
        let actions = json!({ "actions": [{ "type": "wheel", "id": "wheel", "actions": [turn] }] });
        self.command("POST", "/actions", &actions).map(drop)
    }

    /// Moves the mouse to a place of an element, seen from its middle.
    pub fn point(&self, selector: &str, x: i32, y: i32) -> Result<()> {
        let element = json!({ ELEMENT: self.element(selector)? });
        let go = json!({ "type": "pointerMove", "x": x, "y": y, "origin": element, "duration": 0 });
        let actions = json!({ "actions": [{ "type": "pointer", "id": "mouse", "actions": [go] }] });
        self.command("POST", "/actions", &actions).map(drop)
    }

    fn element(&self, selector: &str) -> Result<String> {
        let answer = self
            .command("POST", "/element", &json!({ "using": "css selector", "value": selector }))
            .with_context(|| selector.to_owned())?;
        Ok(answer[ELEMENT].as_str().with_context(|| format!("no element {selector}"))?.to_owned())
    }

    /// The browser's complaints since the last time.
    pub fn complaints(&self) -> Result<Vec<String>> {
        let log = self.command("POST", "/se/log", &json!({ "type": "browser" }))?;
        let entries = log.as_array().context("no log")?;
        Ok(entries.iter().map(|e| e["message"].as_str().unwrap_or_default().to_owned()).collect())
    }

    /// An HTTP request, on a connection of its own.
    fn ask(&self, method: &str, path: &str, body: &Value) -> Result<Value> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).context("chromedriver does not answer")?;
        stream.set_read_timeout(Some(PATIENCE))?;
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )?;
        let answer = answer_of(stream)?;
        let value: Value = serde_json::from_str(&answer).with_context(|| answer.clone())?;
        if let Some(error) = value["value"]["error"].as_str() {
            bail!("{error}: {}", value["value"]["message"].as_str().unwrap_or_default());
        }
        Ok(value["value"].clone())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            _ = self.command("DELETE", "", &Value::Null);
        }
        end(&mut self.driver);
    }
}

/// The name that WebDriver has for references to elements.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

fn end(driver: &mut Child) {
    _ = driver.kill();
    _ = driver.wait();
}

/// chromedriver says which port it has chosen.
fn port_of(driver: &mut Child) -> Result<u16> {
    let out = driver.stdout.take().context("no output")?;
    for line in BufReader::new(out).lines() {
        let line = line?;
        if let Some((_, port)) = line.split_once("successfully on port ") {
            return port.trim_end_matches('.').parse().with_context(|| line.clone());
        }
    }
    bail!("chromedriver did not start")
}

/// The body of an answer, as long as its header says.
fn answer_of(stream: TcpStream) -> Result<String> {
    let mut stream = BufReader::new(stream);
    let mut length = None;
    loop {
        let mut line = String::new();
        ensure!(stream.read_line(&mut line)? > 0, "chromedriver closed the connection");
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = Some(value.trim().parse::<u64>()?);
        }
    }
    let mut body = String::new();
    stream.take(length.unwrap_or(u64::MAX)).read_to_string(&mut body)?;
    Ok(body)
}
