//! What a scene asks for in vain: a user who waits for it should know.

use crate::error::Diagnostic;
use crate::scene::{Collision, Scene};

/// Heaps and flows need the exact sweep; without it they are off, and that is said.
pub(super) fn asked(scene: &Scene) -> Option<Diagnostic> {
    let mode = match scene.collision {
        Collision::Exact => return None,
        Collision::Karabassi => "karabassi",
        Collision::Ray => "ray",
    };
    let asked = match (scene.pile, scene.flow) {
        (false, false) => return None,
        (true, false) => "`pile: true` is",
        (false, true) => "`flow: true` is",
        (true, true) => "`pile: true` and `flow: true` are",
    };
    let text = format!("{asked} without effect in {mode} mode: particles stay where they land");
    Some(Diagnostic::new(text).help("use `collision: Exact`, or take it out"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::world::World;

    #[test]
    fn heaps_and_flows_that_cannot_be_are_remarked_on() {
        let text = r#"(
            materials: { "m": Snow(radius: 0.1) },
            emitters: [(material: "m", shape: Point(at: (0, 0, 0)), rate: 1)],
            time: (frames: 1),
            collision: MODE, pile: PILE, flow: FLOW,
        )"#;
        for (mode, pile, flow, remark) in [
            ("Exact", true, true, None),
            ("Ray", false, false, None),
            (
                "Ray",
                true,
                false,
                Some("`pile: true` is without effect in ray mode"),
            ),
            (
                "Karabassi",
                false,
                true,
                Some("`flow: true` is without effect in karabassi mode"),
            ),
            (
                "Karabassi",
                true,
                true,
                Some("`pile: true` and `flow: true` are without effect"),
            ),
        ] {
            let text = text.replace("MODE", mode).replace("PILE", &pile.to_string());
            let text = text.replace("FLOW", &flow.to_string());
            let scene = crate::scene::parse(&text, Path::new("test.ron")).expect("a good scene");
            let (_, remarks) = World::assemble(&scene, vec![]).expect("a good world");
            let remarks: Vec<String> = remarks.into_iter().map(|r| r.message).collect();
            match remark {
                None => assert!(remarks.is_empty(), "{mode}: {remarks:?}"),
                Some(text) => assert!(
                    remarks.len() == 1 && remarks[0].contains(text),
                    "{mode}: {remarks:?}"
                ),
            }
        }
    }
}
