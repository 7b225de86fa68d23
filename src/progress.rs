//! The one object that owns standard error during a run.
//!
//! A bar on a terminal; elsewhere a plain line now and then, without carriage returns or escapes. Nothing that is
//! said here reaches a frame or the manifest.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::error::{Diagnostic, Severity};

/// How much of a run is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProgressMode {
    /// A bar on a terminal, otherwise a line every few seconds.
    #[default]
    Auto,
    /// A bar on a terminal, otherwise a line for every frame.
    Always,
    /// Warnings only.
    Never,
}

/// Time between two plain lines [s]: seldom enough for a log, often enough to see that it lives.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Whether text on standard error may be coloured: it is a terminal, and `NO_COLOR` is unset or empty.
pub fn stderr_takes_color() -> bool {
    stderr_is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Shows what a run is doing. Dropping it removes the bar, so that an error message stands alone.
pub struct Progress {
    shared: Arc<Shared>,
    bar: Option<ProgressBar>,
    color: bool,
    ticker: Option<(Sender<()>, JoinHandle<()>)>,
}

struct Shared {
    lines: Mutex<Lines>,
    started: Instant,
}

/// What the plain lines need to know.
struct Lines {
    out: Box<dyn Write + Send>,
    /// `None`: no progress lines.
    every: Option<Duration>,
    last: Option<Instant>,
    doing: String,
    /// When this stage began and the number of its first frame, for the forecast.
    began: Instant,
    first: Option<u32>,
}

impl Progress {
    /// Progress on standard error.
    pub fn new(mode: ProgressMode) -> Self {
        if mode != ProgressMode::Never && stderr_is_terminal() {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(ProgressStyle::default_spinner());
            bar.enable_steady_tick(Duration::from_millis(200));
            return Self::build(Box::new(io::stderr()), None, Some(bar));
        }
        Self::plain(mode, Box::new(io::stderr()), LINE_EVERY)
    }

    /// Plain lines to `out`, in mode [`ProgressMode::Auto`] at most one every `every`.
    pub fn plain(mode: ProgressMode, out: Box<dyn Write + Send>, every: Duration) -> Self {
        let gap = match mode {
            ProgressMode::Auto => Some(every),
            ProgressMode::Always => Some(Duration::ZERO),
            ProgressMode::Never => None,
        };
        let mut progress = Self::build(out, gap, None);
        if gap.is_some() {
            progress.ticker = Some(start_ticker(Arc::clone(&progress.shared), every));
        }
        progress
    }

    fn build(out: Box<dyn Write + Send>, every: Option<Duration>, bar: Option<ProgressBar>) -> Self {
        let lines = Lines {
            out,
            every,
            last: None,
            doing: String::new(),
            began: Instant::now(),
            first: None,
        };
        let shared = Shared {
            lines: Mutex::new(lines),
            started: Instant::now(),
        };
        Self {
            shared: Arc::new(shared),
            bar,
            color: stderr_takes_color(),
            ticker: None,
        }
    }

    /// Says what comes next, `loading meshes`.
    pub fn stage(&self, name: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(name.to_string());
        }
        let mut lines = self.shared.lock();
        (lines.began, lines.first) = (Instant::now(), None);
        lines.doing = name.into();
        lines.print_if_due(self.shared.started);
    }

    /// Says that frame `number` of `of` is finished and how many particles it holds. The forecast of the time that is
    /// left takes every frame for as long as those before, which is too short while particles become more.
    pub fn frame_done(&self, number: u32, of: u32, particles: u64) {
        if let Some(bar) = &self.bar {
            if bar.length() != Some(u64::from(of)) {
                bar.set_style(frame_style());
                bar.set_length(u64::from(of));
            }
            bar.set_position(u64::from(number));
            bar.set_message(format!("{particles} particles"));
        }
        let mut lines = self.shared.lock();
        let first = *lines.first.get_or_insert(number);
        let done = number.saturating_sub(first).saturating_add(1);
        let left = lines
            .began
            .elapsed()
            .div_f64(f64::from(done))
            .mul_f64(f64::from(of.saturating_sub(number)));
        lines.doing = format!("frame {number} of {of}, {particles} particles");
        if number < of {
            lines.doing += &format!(", about {} left", seconds(left));
        }
        lines.print_if_due(self.shared.started);
    }

    /// Prints a warning at once, in every mode, above the bar if there is one.
    pub fn warn(&self, diagnostic: &Diagnostic) {
        let text = diagnostic.render(Severity::Warning, self.color);
        let print = || self.shared.lock().print(text.trim_end());
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Removes the bar and prints a last line.
    pub fn finish(&self, report: impl fmt::Display) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        let mut lines = self.shared.lock();
        lines.doing.clear();
        if lines.every.is_some() || self.bar.is_some() {
            let took = seconds(self.shared.started.elapsed());
            lines.print(&format!("{report} ({took})"));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if let Some((stop, thread)) = self.ticker.take() {
            drop(stop);
            // Its panic would have nothing to tell the user; the run itself is over.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lines {
    fn print_if_due(&mut self, started: Instant) {
        let due = |every| self.last.is_none_or(|last| last.elapsed() >= every);
        if !self.doing.is_empty() && self.every.is_some_and(due) {
            let line = format!("{} ({})", self.doing, seconds(started.elapsed()));
            self.print(&line);
            self.last = Some(Instant::now());
        }
    }

    fn print(&mut self, line: &str) {
        // A closed standard error must not stop a run.
        let _ = writeln!(self.out, "{line}").and_then(|()| self.out.flush());
    }
}

/// Repeats the last line when a single frame takes long.
fn start_ticker(shared: Arc<Shared>, every: Duration) -> (Sender<()>, JoinHandle<()>) {
    let (stop, stopped) = channel::<()>();
    let thread = std::thread::spawn(move || {
        while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
            let mut lines = shared.lock();
            if lines.last.is_none_or(|last| last.elapsed() >= every) {
                lines.print_if_due(shared.started);
            }
        }
    });
    (stop, thread)
}

fn frame_style() -> ProgressStyle {
    let template = "{bar:30} frame {pos} of {len}, {msg}, {elapsed}, about {eta} left";
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`.
fn seconds(time: Duration) -> String {
    let whole = time.as_secs();
    match whole {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        10..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Default)]
    struct Sink(Arc<Mutex<Vec<u8>>>);

    impl Write for Sink {
        fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("unpoisoned").extend_from_slice(buffer);
            Ok(buffer.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Sink {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().expect("unpoisoned").clone()).expect("utf-8")
        }
    }

    fn run(mode: ProgressMode, every: Duration, work: impl FnOnce(&Progress)) -> String {
        let sink = Sink::default();
        let progress = Progress::plain(mode, Box::new(sink.clone()), every);
        work(&progress);
        drop(progress);
        sink.text()
    }

    fn hundred_frames(progress: &Progress) {
        progress.stage("loading meshes");
        (1..=100).for_each(|n| progress.frame_done(n, 100, 5));
        progress.finish("100 frames written");
    }

    #[test]
    fn t47_a_log_gets_few_plain_lines() {
        let text = run(ProgressMode::Auto, Duration::from_secs(3600), hundred_frames);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert!(
            lines[0].starts_with("loading meshes (") && lines[1].starts_with("100 frames written ("),
            "{text}"
        );
        assert!(!text.contains(['\r', '\x1b']), "{text:?}");
    }

    #[test]
    fn t47_always_tells_every_frame_and_never_tells_none() {
        let text = run(ProgressMode::Always, Duration::from_secs(3600), hundred_frames);
        assert_eq!(text.lines().count(), 102, "{text}");
        assert!(
            text.contains("\nframe 100 of 100, 5 particles (") && !text.contains(['\r', '\x1b']),
            "{text}"
        );
        assert_eq!(run(ProgressMode::Never, Duration::ZERO, hundred_frames), "");
    }

    #[test]
    fn the_forecast_counts_from_the_beginning_of_the_stage() {
        let text = run(ProgressMode::Always, LINE_EVERY, |progress| {
            std::thread::sleep(Duration::from_millis(200));
            progress.stage("simulating");
            progress.frame_done(50, 51, 0);
        });
        assert!(
            text.contains("about 0.0 s left") || text.contains("about 0.1 s left"),
            "{text}"
        );
    }

    #[test]
    fn t47_one_long_frame_shows_signs_of_life() {
        let text = run(ProgressMode::Auto, Duration::from_millis(20), |progress| {
            progress.stage("simulating frame 1");
            std::thread::sleep(Duration::from_millis(300));
        });
        let lines = text.lines().count();
        assert!((2..=16).contains(&lines), "{text}");
        assert!(
            text.lines().all(|line| line.starts_with("simulating frame 1 (")),
            "{text}"
        );
    }

    #[test]
    fn warnings_are_shown_in_every_mode() {
        for mode in [ProgressMode::Auto, ProgressMode::Always, ProgressMode::Never] {
            let warning = Diagnostic::new("3 triangles have no area");
            let text = run(mode, LINE_EVERY, |progress| progress.warn(&warning));
            assert!(
                text.contains("3 triangles have no area") && text.ends_with('\n'),
                "{text}"
            );
        }
    }

    #[test]
    fn times_are_readable() {
        let cases = [
            (0.44, "0.4 s"),
            (59.9, "59 s"),
            (200.0, "3 min 20 s"),
            (7500.0, "2 h 5 min"),
        ];
        for (time, text) in cases {
            assert_eq!(seconds(Duration::from_secs_f64(time)), text);
        }
    }
}
