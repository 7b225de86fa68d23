//! The guide tells the truth: every command in it is run, page by page, in a folder like the project's.
#![cfg(unix)]

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use fs_err as fs;

const PAGES: [&str; 4] = [
    "guide-1-first-scene.md",
    "guide-2-materials.md",
    "guide-3-rendering-and-farms.md",
    "guide-4-golden-outputs.md",
];

/// Calls the real POV-Ray for small pictures.
const POVRAY: &str = r#"#!/usr/bin/env bash
args=()
for a in "$@"; do
    case $a in
    +W[0-9]*) args+=(+W64) ;;
    +H[0-9]*) args+=(+H36) ;;
    +A* | +R*) ;;
    *) args+=("$a") ;;
    esac
done
exec "$REAL_POVRAY" "${args[@]}"
"#;

const FFMPEG: &str = "#!/usr/bin/env bash\nfor last; do :; done\necho \"$@\" >\"$last\"\n";

/// Takes jobs and forgets them.
const SBATCH: &str = "#!/usr/bin/env bash\necho $((RANDOM + 1))\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).into()
}

/// A piece of a page.
#[derive(Debug, PartialEq)]
enum Block {
    /// Commands to run.
    Commands(String),
    /// A scene, and the file that the line before names.
    Scene(String, String),
}

/// All fenced blocks that are commands, or scenes with a name.
fn blocks(page: &str) -> Vec<Block> {
    let (mut found, mut open, mut name) = (Vec::new(), None::<(String, String)>, String::new());
    for line in page.lines() {
        match &mut open {
            Some((language, text)) if line == "```" => {
                match language.as_str() {
                    "sh" => found.push(Block::Commands(text.clone())),
                    "ron" if !name.is_empty() => found.push(Block::Scene(name.clone(), text.clone())),
                    _ => {}
                }
                open = None;
                name.clear();
            }
            Some((_, text)) => *text += &format!("{line}\n"),
            None if line.starts_with("```") => open = Some((line[3..].to_owned(), String::new())),
            None if !line.is_empty() => {
                let mut words = line
                    .split('`')
                    .filter(|w| w.ends_with(".ron") && !w.contains('/'));
                name = words.next_back().map_or_else(String::new, str::to_owned);
            }
            None => {}
        }
    }
    assert!(open.is_none(), "a block without end");
    found
}

/// A folder with what the guide takes for granted: the project's files, and the program on the path.
fn project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for name in ["assets", "scenes", "render.sh"] {
        symlink(root().join(name), dir.path().join(name)).expect("a link");
    }
    let bin = dir.path().join("bin");
    fs::create_dir(&bin).expect("a folder");
    symlink(assert_cmd::cargo::cargo_bin!("partsim"), bin.join("partsim")).expect("a link");
    for (name, text) in [("povray", POVRAY), ("ffmpeg", FFMPEG), ("sbatch", SBATCH)] {
        fs::write(bin.join(name), text).expect("a file");
        fs::set_permissions(bin.join(name), PermissionsExt::from_mode(0o755)).expect("permissions");
    }
    dir
}

fn run(dir: &Path, commands: &str, page: &str) {
    let path = std::env::var("PATH").expect("a path");
    let real = Command::new("bash")
        .args(["-c", "command -v povray"])
        .output()
        .expect("bash");
    let real = String::from_utf8_lossy(&real.stdout).trim().to_owned();
    assert!(!real.is_empty(), "POV-Ray is not installed");
    let mut bash = Command::new("bash");
    bash.args(["-euo", "pipefail", "-c", commands]).current_dir(dir);
    bash.env("PATH", format!("{}:{path}", dir.join("bin").display()))
        .env("REAL_POVRAY", real);
    bash.env("PARTSIM", dir.join("bin/partsim"));
    let done = bash.output().expect("bash");
    assert!(
        done.status.success(),
        "{page}: {}\n{commands}\n{}{}",
        done.status,
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr)
    );
}

fn follow(page: &str) {
    let text = fs::read_to_string(root().join("docs").join(page)).expect("a page");
    let dir = project();
    for block in blocks(&text) {
        match block {
            Block::Commands(commands) => run(dir.path(), &commands, page),
            Block::Scene(name, scene) => fs::write(dir.path().join(name), scene).expect("a file"),
        }
    }
}

#[test]
fn page_1_leads_to_pictures_and_a_film() {
    follow(PAGES[0]);
}

#[test]
fn page_2_holds_scenes_that_are_right() {
    follow(PAGES[1]);
}

#[test]
fn page_3_can_be_followed() {
    follow(PAGES[2]);
}

#[test]
fn page_4_can_be_followed() {
    follow(PAGES[3]);
}

#[test]
fn links_and_pictures_of_all_documents_are_there() {
    let mut documents: Vec<PathBuf> = fs::read_dir(root().join("docs"))
        .expect("a folder")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "md"))
        .collect();
    documents.extend(["README.md", "CHANGELOG.md", "assets/README.md"].map(|n| root().join(n)));
    let mut links = 0;
    for document in documents {
        let text = fs::read_to_string(&document).expect("a document");
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.starts_with("http") || link.starts_with('#') {
                continue;
            }
            let file = link.split('#').next().unwrap_or(link);
            let target = document.parent().expect("a folder").join(file);
            assert!(target.exists(), "{}: {link} is not there", document.display());
            links += 1;
        }
    }
    assert!(links > 20, "only {links} links found");
}

#[test]
fn commands_and_named_scenes_are_found() {
    let page = "Do:\n```sh\na\nb\n```\nAnd `x.ron`:\n\n```ron\n()\n```\nNo name:\n```ron\n(1)\n```\n```yaml\nc\n```\n";
    let expected = [
        Block::Commands("a\nb\n".into()),
        Block::Scene("x.ron".into(), "()\n".into()),
    ];
    assert_eq!(blocks(page), expected);
}
