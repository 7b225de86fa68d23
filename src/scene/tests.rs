//! `scenes/reference.ron` is kept complete and true: its keys are compared with those that the schema itself
//! asks for, and every value that it calls a default is taken out to see that nothing changes.

mod trace;

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::locate::{Source, Step, options, path_text};
use super::{Scene, parse};
use crate::error::Result;

/// What a value holds, whatever it is.
enum Tree {
    Leaf,
    List(Vec<Tree>),
    Keys(Vec<(String, Tree)>),
}

struct TreeVisitor;

macro_rules! leaves {
    ($($visit:ident($kind:ty)),*) => {$(
        fn $visit<E>(self, _: $kind) -> std::result::Result<Tree, E> { Ok(Tree::Leaf) }
    )*};
}

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    leaves!(
        visit_bool(bool),
        visit_i64(i64),
        visit_u64(u64),
        visit_f64(f64),
        visit_str(&str)
    );

    fn visit_unit<E>(self) -> std::result::Result<Tree, E> {
        Ok(Tree::Leaf)
    }

    fn visit_none<E>(self) -> std::result::Result<Tree, E> {
        Ok(Tree::Leaf)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<Tree, A::Error> {
        let mut list = Vec::new();
        while let Some(tree) = seq.next_element()? {
            list.push(tree);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Tree, A::Error> {
        let mut keys = Vec::new();
        while let Some(entry) = map.next_entry()? {
            keys.push(entry);
        }
        Ok(Tree::Keys(keys))
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        d.deserialize_any(TreeVisitor)
    }
}

/// A key of a struct that stands in the reference.
struct Written {
    steps: Vec<Step>,
    /// As `trace` names it: `emitters[].shape.Grid.jitter`.
    key: String,
}

fn walk(source: &Source<'_>, tree: &Tree, steps: &mut Vec<Step>, context: &str, found: &mut Vec<Written>) {
    match tree {
        Tree::Leaf => {}
        Tree::List(list) => {
            for (i, item) in list.iter().enumerate() {
                steps.push(Step::Index(i));
                walk(source, item, steps, &format!("{context}[]"), found);
                steps.pop();
            }
        }
        Tree::Keys(keys) => {
            let users_own = context == "materials" || context.ends_with(".groups");
            let name = source.name_at(steps).filter(|_| !context.ends_with(".radius"));
            let context = name.map_or_else(|| context.to_owned(), |n| format!("{context}.{n}"));
            for (key, value) in keys {
                steps.push(Step::Key(key.clone()));
                let inner = if users_own {
                    format!("{context}{{}}")
                } else {
                    join(&context, key)
                };
                if !users_own {
                    found.push(Written {
                        steps: steps.clone(),
                        key: inner.clone(),
                    });
                }
                walk(source, value, steps, &inner, found);
                steps.pop();
            }
        }
    }
}

fn join(context: &str, key: &str) -> String {
    if context.is_empty() {
        key.to_owned()
    } else {
        format!("{context}.{key}")
    }
}

/// The reference and a folder in which its mesh exists.
struct Reference {
    text: String,
    folder: tempfile::TempDir,
}

impl Reference {
    fn load() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/reference.ron");
        let folder = tempfile::tempdir().expect("temporary folder");
        for name in ["assets", "scenes"] {
            fs_err::create_dir(folder.path().join(name)).expect("folder");
        }
        for name in ["assets/house.obj", "assets/crate.obj"] {
            fs_err::File::create(folder.path().join(name)).expect("mesh");
        }
        Self {
            text: fs_err::read_to_string(path).expect("the reference"),
            folder,
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("scenes/reference.ron")
    }

    fn parse(&self, text: &str) -> Result<Scene> {
        parse(text, &self.path())
    }

    fn scene(&self) -> Scene {
        self.parse(&self.text)
            .unwrap_or_else(|e| panic!("{}", e.render(false)))
    }

    fn keys(&self) -> Vec<Written> {
        let tree: Tree = options().from_str(&self.text).expect("RON");
        let mut found = Vec::new();
        walk(
            &Source::new(&self.text, Path::new("")),
            &tree,
            &mut Vec::new(),
            "",
            &mut found,
        );
        found
    }

    /// The text with the value of a key replaced by what `edit` makes of it, or with the key taken out.
    fn edited(&self, steps: &[Step], edit: Option<fn(&str) -> String>) -> String {
        let source = Source::new(&self.text, Path::new(""));
        let range = match edit {
            Some(_) => source.value(steps),
            None => source.entry(steps),
        };
        let range = range.unwrap_or_else(|| panic!("{} has no place", path_text(steps)));
        let new = edit.map_or_else(String::new, |edit| edit(&self.text[range.clone()]));
        let rest = &self.text[range.end..];
        let rest = if edit.is_none() {
            rest.strip_prefix(',').unwrap_or(rest)
        } else {
            rest
        };
        format!("{}{new}{rest}", &self.text[..range.start])
    }

    fn line_of(&self, steps: &[Step]) -> String {
        let source = Source::new(&self.text, Path::new(""));
        source
            .entry(steps)
            .map_or_else(String::new, |range| source.place(range).excerpt)
    }
}

/// Types that stand in several places are shown in one: the laws of `radius`, `Response`, regions, lives,
/// values over time.
fn once(key: &str) -> String {
    for over_time in ["keys", "smooth"] {
        if key.ends_with(&format!(".{over_time}")) {
            return format!("over time: {over_time}");
        }
    }
    for place in [".region.", ".when.Leaves.", ".when[]."] {
        if let Some((_, region)) = key.split_once(place) {
            return format!("region: {region}");
        }
    }
    if let Some(life) = key.find(".lifetime").or_else(|| key.find(".events")) {
        return format!("life: {}", &key[life..]);
    }
    let key = key.replace("meshes[].response.", "meshes[].groups{}.");
    match key.split_once(".radius.") {
        Some((before, law)) if before.starts_with("materials{}") => format!("materials{{}}.radius.{law}"),
        _ => key,
    }
}

#[test]
fn the_reference_shows_every_key_of_the_schema() {
    let reference = Reference::load();
    let written: BTreeSet<String> = reference.keys().into_iter().map(|w| once(&w.key)).collect();
    let schema = trace::schema();
    let asked: BTreeSet<String> = schema.keys.iter().map(|key| once(key)).collect();
    assert!(
        asked.contains("emitters[].shape.Grid.jitter"),
        "the trace works: {asked:#?}"
    );
    assert!(asked.contains("materials{}.radius.median"), "the trace works");
    let missing: Vec<&String> = asked.difference(&written).collect();
    assert!(missing.is_empty(), "not in scenes/reference.ron: {missing:#?}");
    let unknown: Vec<&String> = written.difference(&asked).collect();
    assert!(
        unknown.is_empty(),
        "the walk and the trace name these differently: {unknown:#?}"
    );
    for name in &schema.names {
        let is_there = reference
            .text
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| word == name);
        assert!(is_there, "scenes/reference.ron does not mention {name}");
    }
}

#[test]
fn what_the_reference_calls_a_default_is_one() {
    let reference = Reference::load();
    let scene = reference.scene();
    let mut wrong: Vec<String> = Vec::new();
    for Written { steps, .. } in reference.keys() {
        let path = path_text(&steps);
        let line = reference.line_of(&steps);
        let remark = line.split_once("//").map_or("", |(_, remark)| remark).trim();
        let is = match reference.parse(&reference.edited(&steps, None)) {
            Err(_) => "required",
            Ok(without) if without == scene => "default",
            Ok(_) => "optional",
        };
        if !remark.starts_with(is) {
            wrong.push(format!("{path} is {is}, but its remark says: {remark}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// T49: every optional key may be left out, written plainly, or written in `Some(...)`.
#[test]
fn t49_every_optional_key_accepts_both_spellings() {
    let reference = Reference::load();
    let scene = reference.scene();
    let mut optional = 0;
    for Written { steps, .. } in reference.keys() {
        if reference.parse(&reference.edited(&steps, None)).is_err() {
            continue;
        }
        let wrapped = reference.edited(
            &steps,
            Some(|value| {
                if value == "None" {
                    "None".into()
                } else {
                    format!("Some({value})")
                }
            }),
        );
        let again = reference
            .parse(&wrapped)
            .unwrap_or_else(|e| panic!("{}", e.render(false)));
        assert_eq!(again, scene, "{}", path_text(&steps));
        optional += 1;
    }
    assert!(optional > 40, "only {optional} optional keys were tried");
}
