//! Ctrl-C: the first asks the run to end after the frame in hand, the second ends the program at once.

use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Begins to listen; once a process is enough, and a process that listens already stays as it is.
pub fn watch() {
    // An error means that somebody else handles the signals, whose business it then is to stop us.
    let _ = ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            #[expect(
                clippy::exit,
                reason = "asked twice: the user does not want to wait for the frame"
            )]
            std::process::exit(130);
        }
    });
}

/// Whether the user has asked to stop.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
