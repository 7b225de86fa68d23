//! What stands below the help of each command.

/// `partsim new`
pub const NEW: &str = "\
Examples:
  partsim new cottage.obj                    cottage.ron: the cottage under fresh snow
  partsim new part.obj --unit mm --up z      a model from a CAD program
  partsim new statue.obj --cover slime --out scenes/slimed.ron";

/// `partsim run`
pub const RUN: &str = "\
Examples:
  partsim run cottage.ron                    frames go to runs/cottage
  partsim run cottage.ron --resume           go on after Ctrl-C, a kill or a power cut
  partsim run film.ron --frames 100 --out test    what does frame 100 look like?
  partsim run film.ron --stats film.jsonl    what each frame holds and took, one JSON line a frame

Then `./render.sh runs/cottage` makes the pictures.";

/// `partsim check`
pub const CHECK: &str = "\
Examples:
  partsim check cottage.ron                  is it right, how large is it, how much will it take?";

/// `partsim mesh`
pub const MESH: &str = "\
Examples:
  partsim mesh cottage.obj                   holes, flipped faces, crossings: where, and do they matter here?
  partsim mesh cottage.obj --strict          exit code 1 when it has faults, for scripts
  partsim mesh cottage.obj --paint faults.inc    the faults in colours, to look at in POV-Ray";

/// `partsim diff`
pub const DIFF: &str = "\
Examples:
  partsim diff golden new                    exit code 1 when a frame differs in any byte
  partsim diff golden new --abs 1e-6         differences of up to a micrometre do not count
  partsim diff a/frame_000001.pov b/frame_000001.pov";

/// `partsim verify`
pub const VERIFY: &str = "\
Examples:
  partsim verify runs/cottage                exit code 1 when something is missing
  partsim run film.ron --frames \"$(partsim verify runs/film)\"    make again what is missing";

/// `partsim preview`
pub const PREVIEW: &str = "\
Examples:
  partsim preview cottage.ron                what POV-Ray will frame, in a second
  partsim preview runs/film --frame 40 --out frame40.png";

/// `partsim export`
pub const EXPORT: &str = "\
Examples:
  partsim export runs/film --to ply          the particles of each frame, for Blender and others
  partsim export runs/film --to obj --surface    a closed surface around what lies";

/// `partsim merge`
pub const MERGE: &str = "\
Examples:
  partsim run film.ron --shard 1/2           on one machine: to runs/film/shards/1
  partsim run film.ron --shard 2/2           on another
  partsim merge film.ron runs/film/shards/*  the run folder that a single run would have made";

/// `partsim farm`
pub const FARM: &str = "\
Examples:
  partsim farm slurm film.ron --shards 8     scripts go to runs/film/farm
  runs/film/farm/submit.sh                   hand everything in; after a failure again: only what was lost";

/// `partsim completions`
pub const COMPLETIONS: &str = "\
Examples:
  partsim completions bash > ~/.local/share/bash-completion/completions/partsim
  partsim completions fish > ~/.config/fish/completions/partsim.fish
  partsim completions zsh > _partsim         in a folder of $fpath";

/// `partsim man`
pub const MAN: &str = "\
Examples:
  partsim man ~/.local/share/man/man1        then: man partsim, man partsim-run";

/// `partsim grid`
pub const GRID: &str = "\
Examples:
  partsim grid build shaft.obj -o shaft.dng    a grid to name in a scene: `collider: Grid(file: \"shaft.dng\", ..)`
  partsim grid show shaft.dng                its cells, bytes and bounds";

/// `partsim grid build`
pub const GRID_BUILD: &str = "\
Examples:
  partsim grid build shaft.obj -o shaft.dng    60 cells along the longest side
  partsim grid build shaft.obj -o shaft.dng --cells 128 --compress 2";

/// `partsim grid show`
pub const GRID_SHOW: &str = "\
Examples:
  partsim grid show shaft.dng                its cells, bytes and bounds
  partsim grid show shaft.dng --out slice.png --axis y --at 0.5";
