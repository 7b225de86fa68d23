//! Shards, merges and job scripts: what many jobs make is what one makes, and what cannot be shared out is refused.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use partsim::write::manifest::Manifest;

fn partsim() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("partsim"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Everything that a shard must get right: births that are refused, moved and late, lives that end, two materials,
/// bounces, chance in flight, surfaces that take particles away, a kill box.
fn scene(dir: &Path) -> PathBuf {
    let obj = "v -3 0 -3\nv 3 0 -3\nv 3 0 3\nv -3 0 3\nv 0 0 -1\nv 1 1 -1\nv 1 1 1\nv 0 0 1\n\
        usemtl a\nf 4 3 2\nusemtl b\nf 4 2 1\nusemtl c\nf 8 7 6 5\n";
    fs_err::write(dir.join("floor.obj"), obj).expect("a file");
    let scene = r#"(
    meshes: [(file: "floor.obj", response: Bounce(restitution: 0.6, friction: 0.3), groups: { "a": Die, "c": Stick })],
    materials: {
        "snow": Snow(radius: Uniform(min: 0.03, max: 0.06)),
        "mud": Mud(radius: 0.05, stick: Below(5), lifetime: 0.9, lifetime_variation: 0.5,
            events: [(when: Leaves(Sphere(center: (0, 1, 0), radius: 2.5)), then: Kill)]),
    },
    emitters: [
        (material: "snow", shape: Disc(center: (0, 2, 0), normal: (0, 1, 0), radius: 3), rate: 400.7, velocity: (0, -1, 0), spread_deg: 20),
        (material: "snow", shape: Box(min: (-1, -0.1, -1), max: (1, 1, 1)), rate: 90, if_blocked: PushOut),
        (material: "mud", shape: Box(min: (-1, -0.05, -1), max: (1, 0.1, 1)), rate: 70, velocity: (1, 2, 0.5), spread_deg: 60),
        (material: "mud", shape: Point(at: (0.5, 0.5, 0)), rate: 9, if_blocked: Delay, motion: (0.5, 0.2, 0)),
        (material: "snow", shape: Point(at: (0, 3, 0)), count: 7, bursts: (every: 0.21), velocity: (0, 5, 0), spread_deg: 180, start: 0.1),
    ],
    forces: [
        QuadraticDrag(terminal_speed: 8), Wind(velocity: (1, 0, 0), gusts: (intensity: 0.5, length: 2)),
        Turbulence(speed: 0.5, length: 1), Flutter(amplitude: 0.05, frequency: (1, 3)),
    ],
    limits: (kill_box: ((-4, -1, -4), (4, 6, 4))),
    time: (frames: 24, frame_rate: 24, steps_per_frame: 3),
)"#;
    let path = dir.join("shared.ron");
    fs_err::write(&path, scene).expect("a file");
    path
}

fn run(scene: &Path, out: &Path, more: &[&str]) -> Output {
    let mut command = partsim();
    command.arg("run").arg(scene).arg("--out").arg(out).args(more);
    command.output().expect("the program starts")
}

fn good(output: &Output) {
    assert!(
        output.status.success(),
        "{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
}

fn shards(scene: &Path, dir: &Path, of: u32) -> Vec<PathBuf> {
    let folder = |i: u32| dir.join(format!("shard_{i}_of_{of}"));
    for i in 1..=of {
        good(&run(
            scene,
            &folder(i),
            &["--shard", &format!("{i}/{of}"), "--threads", "1"],
        ));
    }
    (1..=of).map(folder).collect()
}

fn merge(scene: &Path, out: &Path, shards: &[PathBuf]) -> Output {
    let mut command = partsim();
    command.arg("merge").arg(scene).args(shards).arg("--out").arg(out);
    command.output().expect("the program starts")
}

/// Names and bytes of all files of a folder.
fn files(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs_err::read_dir(dir)
        .expect("a folder")
        .map(|e| e.expect("an entry").path());
    let files = entries.filter(|p| p.is_file()).map(|p| {
        let name = p.file_name().expect("a name").to_string_lossy().into_owned();
        (name, fs_err::read(&p).expect("a file"))
    });
    let mut files: Vec<_> = files.collect();
    files.sort();
    files
}

fn assert_same(a: &Path, b: &Path) {
    let (a, b) = (files(a), files(b));
    let names = |f: &[(String, Vec<u8>)]| f.iter().map(|(n, _)| n.clone()).collect::<Vec<_>>();
    assert_eq!(names(&a), names(&b));
    for ((name, a), (_, b)) in a.iter().zip(&b) {
        assert!(a == b, "{name} differs");
    }
}

#[test]
fn one_three_and_eight_shards_make_the_bytes_of_a_single_run() {
    let dir = tempfile::tempdir().expect("a folder");
    let scene = scene(dir.path());
    let single = dir.path().join("single");
    let done = run(&scene, &single, &[]);
    good(&done);
    // The scene must put everything to the test.
    let last = Manifest::read(&single)
        .expect("a manifest")
        .frames
        .pop()
        .expect("frames");
    assert!(
        last.born > 400 && last.airborne > 50 && last.settled > 20 && last.died > 20,
        "{last:?}"
    );
    assert!(
        last.lost > 0 && last.rejected > 5 && last.counts["pushed_out"] > 5,
        "{last:?}"
    );
    for of in [1, 3, 8] {
        let parts = shards(&scene, dir.path(), of);
        let out = dir.path().join(format!("merged_{of}"));
        let mut order = parts.clone();
        order.reverse();
        let merged = merge(&scene, &out, &order);
        good(&merged);
        assert_same(&single, &out);
        assert!(
            text(&merged.stdout).contains("0 escapes"),
            "{}",
            text(&merged.stdout)
        );
        let born: Vec<u64> = parts
            .iter()
            .map(|p| Manifest::read(p).expect("a manifest").frames[23].born)
            .collect();
        assert_eq!(
            born,
            vec![last.born; of as usize],
            "every shard counts all births"
        );
    }
}

#[test]
fn the_seed_and_the_collider_of_the_shards_are_those_of_the_merge() {
    let dir = tempfile::tempdir().expect("a folder");
    let scene = scene(dir.path());
    let options = ["--seed", "5", "--collision", "ray"];
    let single = dir.path().join("single");
    good(&run(&scene, &single, &options));
    let parts: Vec<PathBuf> = (1..=2).map(|i| dir.path().join(i.to_string())).collect();
    for (i, part) in (1..).zip(&parts) {
        good(&run(
            &scene,
            part,
            &[&options[..], &["--shard", &format!("{i}/2")]].concat(),
        ));
    }
    let out = dir.path().join("merged");
    good(&merge(&scene, &out, &parts));
    assert_same(&single, &out);
}

#[test]
fn a_lost_shard_is_found_by_verify_and_made_again_alone() {
    let dir = tempfile::tempdir().expect("a folder");
    let scene = scene(dir.path());
    let single = dir.path().join("single");
    good(&run(&scene, &single, &[]));
    let parts = shards(&scene, dir.path(), 3);
    fs_err::remove_file(parts[1].join("frame_000007.part")).expect("it goes");
    fs_err::write(parts[1].join("frame_000011.part"), "half a pa").expect("a file");
    let verify = |part: &Path| {
        let found = partsim().arg("verify").arg(part).output().expect("it starts");
        (found.status.code(), text(&found.stdout))
    };
    assert_eq!(verify(&parts[0]), (Some(0), String::new()));
    assert_eq!(verify(&parts[1]), (Some(1), "7,11\n".into()));
    let out = dir.path().join("merged");
    let refused = merge(&scene, &out, &parts);
    assert_eq!(refused.status.code(), Some(1));
    let said = text(&refused.stderr);
    assert!(
        said.contains("shard 2/3 in") && said.contains("lacks frames 7,11"),
        "{said}"
    );
    assert!(!out.exists(), "nothing is merged before all is there");
    // The command that the message names, as it stands there.
    let again = said
        .lines()
        .find_map(|l| l.split_once("partsim run "))
        .expect("a command")
        .1;
    good(
        &partsim()
            .arg("run")
            .args(again.split_whitespace())
            .output()
            .expect("it starts"),
    );
    good(&merge(&scene, &out, &parts));
    assert_same(&single, &out);
    // What is there is kept; what is missing is merged again.
    fs_err::remove_file(out.join("frame_000003.pov")).expect("it goes");
    let again = merge(&scene, &out, &parts);
    good(&again);
    assert!(
        text(&again.stdout).contains("1 frames from 3 shards")
            && text(&again.stdout).contains("23 frames were there")
    );
    assert_same(&single, &out);
}

#[test]
fn shards_that_do_not_belong_together_are_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let scene = scene(dir.path());
    let three = shards(&scene, dir.path(), 3);
    let two = shards(&scene, dir.path(), 2);
    let out = dir.path().join("merged");
    let single = dir.path().join("single");
    good(&run(&scene, &single, &["--frames", "1"]));
    let refused = |shards: &[PathBuf], why: &str| {
        let done = merge(&scene, &out, shards);
        assert_eq!(done.status.code(), Some(2), "{}", text(&done.stderr));
        assert!(text(&done.stderr).contains(why), "{}", text(&done.stderr));
    };
    refused(&three[..2], "of 3 shards these are not given: 3");
    refused(
        &[three[0].clone(), three[1].clone(), two[0].clone()],
        "give each shard of one run once",
    );
    refused(
        &[three[0].clone(), three[0].clone()],
        "give each shard of one run once",
    );
    refused(&[single], "a whole run, not a shard");
    let changed = fs_err::read_to_string(&scene)
        .expect("a file")
        .replace("rate: 400.7", "rate: 400.8");
    fs_err::write(&scene, changed).expect("a file");
    refused(&two, "scene text");
    assert!(!out.exists());
}

#[test]
fn what_depends_on_others_is_not_shared_out_and_the_reason_is_told() {
    let dir = tempfile::tempdir().expect("a folder");
    let text_of = |extra: &str, emitter: &str, material: &str| {
        format!(
            "(materials: {{ \"snow\": Snow(radius: 0.1{material}) }}, emitters: [(material: \"snow\", \
             shape: Point(at: (0, 1, 0)), count: 3{emitter})], time: (frames: 1){extra})"
        )
    };
    let cases = [
        (
            text_of(", pile: true", "", ""),
            "`pile: true`: particles land on each other",
        ),
        (text_of(", flow: true", "", ""), "`flow: true`: layers flow"),
        (
            text_of("", ", apart: true", ""),
            "emitter \"emitter 1\" has `apart: true`",
        ),
        (
            text_of("", "", ", events: [(when: Age(1), then: Split(count: 2))]"),
            "material \"snow\" splits",
        ),
    ];
    let path = dir.path().join("heap.ron");
    for (scene, why) in cases {
        fs_err::write(&path, scene).expect("a file");
        let mut farm = partsim();
        farm.current_dir(&dir)
            .args(["farm", "slurm", "heap.ron", "--shards", "4"]);
        let mut shard = partsim();
        shard
            .current_dir(&dir)
            .args(["run", "heap.ron", "--shard", "1/4"]);
        for command in [&mut farm, &mut shard] {
            let done = command.output().expect("it starts");
            assert_eq!(done.status.code(), Some(2), "{}", text(&done.stderr));
            assert!(text(&done.stderr).contains(why), "{}", text(&done.stderr));
        }
        assert!(!dir.path().join("runs").exists());
        // Rendering can be shared out all the same.
        let mut whole = partsim();
        good(
            &whole
                .current_dir(&dir)
                .args(["farm", "slurm", "heap.ron"])
                .output()
                .expect("it starts"),
        );
        assert!(dir.path().join("runs/heap/farm/simulate.sh").exists());
        fs_err::remove_dir_all(dir.path().join("runs")).expect("it goes");
    }
}

/// A scheduler of one file: it runs each job at once, and none whose forerunner has failed.
const SBATCH: &str = r#"#!/usr/bin/env bash
set -u
array='' after='' dir=. script=''
for word in "$@"; do
    case $word in
    --array=*) array=${word#*=} ;;
    --dependency=afterok:*) after=${word##*:} ;;
    --chdir=*) dir=${word#*=} ;;
    --*) ;;
    *) script=$word ;;
    esac
done
number=$(($(cat "$QUEUE/last" 2>/dev/null || echo 0) + 1))
echo "$number" >"$QUEUE/last"
echo "$script $array" >>"$QUEUE/jobs"
echo "$number;cluster"
cd "$dir"
if [[ -n $after && ! -e $QUEUE/$after.good ]]; then exit 0; fi
good=yes
for task in ${array//,/ }; do
    SLURM_ARRAY_TASK_ID=$task SLURM_CPUS_PER_TASK=1 bash "$script" >>"$QUEUE/log" 2>&1 </dev/null || good=no
done
[[ -n $array ]] || bash "$script" >>"$QUEUE/log" 2>&1 </dev/null || good=no
[[ $good == no ]] || touch "$QUEUE/$number.good"
exit 0
"#;

#[cfg(unix)]
fn executable(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs_err::write(path, text).expect("a file");
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("permissions");
}

/// Stands for POV-Ray: the picture holds the name of its frame.
const POVRAY: &str = r#"#!/usr/bin/env bash
for word in "$@"; do
    case $word in
    +I*) frame=${word#+I} ;;
    +O*) picture=${word#+O} ;;
    esac
done
[[ -s $frame ]] && echo "$frame" >"$picture"
"#;

const FFMPEG: &str = "#!/usr/bin/env bash\nls img/frame_*.png | wc -l >\"${@: -1}\"\n";

#[cfg(unix)]
#[test]
fn the_scripts_go_from_the_scene_to_the_film_and_find_what_was_lost() {
    let dir = tempfile::tempdir().expect("a folder");
    let home = dir.path().join("it's a farm");
    fs_err::create_dir_all(home.join("bin")).expect("a folder");
    fs_err::create_dir_all(home.join("queue")).expect("a folder");
    let scene = scene(&home);
    for (name, text) in [("sbatch", SBATCH), ("povray", POVRAY), ("ffmpeg", FFMPEG)] {
        executable(&home.join("bin").join(name), text);
    }
    let mut farm = partsim();
    farm.current_dir(&home)
        .args(["farm", "slurm", "shared.ron", "--shards", "3", "--tasks", "5"]);
    let wrote = farm.output().expect("it starts");
    good(&wrote);
    assert!(
        text(&wrote.stdout).contains("submit.sh"),
        "{}",
        text(&wrote.stdout)
    );
    let submit = || {
        let _ = fs_err::remove_file(home.join("queue/jobs"));
        let path = format!(
            "{}:{}",
            home.join("bin").display(),
            std::env::var("PATH").expect("a path")
        );
        let mut command = Command::new("bash");
        command
            .arg(home.join("runs/shared/farm/submit.sh"))
            .current_dir("/");
        let done = command
            .env("PATH", path)
            .env("QUEUE", home.join("queue"))
            .output()
            .expect("bash");
        assert!(done.status.success(), "{}", text(&done.stderr));
        let jobs = fs_err::read_to_string(home.join("queue/jobs")).unwrap_or_default();
        (jobs, text(&done.stderr))
    };
    let (jobs, _) = submit();
    let log = fs_err::read_to_string(home.join("queue/log")).expect("a log");
    assert_eq!(
        jobs, "shards.sh 1,2,3\nmerge.sh \npictures.sh 1,2,3,4,5\nfilm.sh \n",
        "{log}"
    );
    let folder = home.join("runs/shared");
    assert_eq!(
        fs_err::read_to_string(folder.join("film.mp4"))
            .expect("a film")
            .trim(),
        "24",
        "{log}"
    );
    let single = dir.path().join("single");
    good(&run(&scene, &single, &[]));
    fs_err::remove_file(folder.join("film.mp4")).expect("it goes");
    assert_same(&single, &folder);

    // A film, then a picture, then a frame of a shard and the merged frame are lost.
    assert_eq!(submit().0, "film.sh \n");
    fs_err::remove_file(folder.join("img/frame_000012.png")).expect("it goes");
    assert_eq!(submit().0, "pictures.sh 3\nfilm.sh \n");
    fs_err::remove_file(folder.join("shards/2/frame_000012.part")).expect("it goes");
    assert!(
        submit().1.contains("everything is done"),
        "shards are of no use once merged"
    );
    fs_err::remove_file(folder.join("frame_000012.pov")).expect("it goes");
    assert_eq!(
        submit().0,
        "shards.sh 2\nmerge.sh \npictures.sh 1,2,3,4,5\nfilm.sh \n"
    );
    fs_err::remove_file(folder.join("film.mp4")).expect("it goes");
    assert_same(&single, &folder);
}

#[cfg(unix)]
#[test]
fn scripts_that_have_been_edited_are_not_overwritten() {
    let dir = tempfile::tempdir().expect("a folder");
    let scene = scene(dir.path());
    let farm = |shards: &str| {
        let mut command = partsim();
        command
            .current_dir(&dir)
            .args(["farm", "slurm", "--shards", shards])
            .arg(&scene);
        command.output().expect("it starts")
    };
    good(&farm("3"));
    good(&farm("3"));
    let other = farm("4");
    assert_eq!(other.status.code(), Some(2));
    assert!(
        text(&other.stderr).contains("settings.sh has been edited"),
        "{}",
        text(&other.stderr)
    );
    let pictures = dir.path().join("runs/shared/farm/pictures.sh");
    let edited = fs_err::read_to_string(&pictures).expect("a file") + "# mine\n";
    fs_err::write(&pictures, &edited).expect("a file");
    assert_eq!(farm("3").status.code(), Some(2));
    assert_eq!(fs_err::read_to_string(&pictures).expect("a file"), edited);
    for script in [
        "submit.sh",
        "shards.sh",
        "merge.sh",
        "pictures.sh",
        "film.sh",
        "settings.sh",
        "render.sh",
    ] {
        let path = dir.path().join("runs/shared/farm").join(script);
        let checked = Command::new("bash").arg("-n").arg(path).output().expect("bash");
        assert!(checked.status.success(), "{script}: {}", text(&checked.stderr));
    }
}
