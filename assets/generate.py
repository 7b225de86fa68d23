#!/usr/bin/env python3
"""Writes the OBJ and MTL files of this folder. The models are described in `modelling/`.

    python3 assets/generate.py            write them all, byte for byte the same every time
    python3 assets/generate.py --check    say whether the files are current; 1 if any is not
    python3 assets/generate.py house      write (or, with --check, compare) only these

Needs Python 3.8 or newer and its standard library. Every solid is checked while it is built: closed,
wound counter-clockwise seen from outside, without degenerate triangles.
"""

import argparse
import os
import sys

sys.dont_write_bytecode = True
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)

from modelling import grid, house, moving, pieces, rig, room, statue, targets, village, wall, yard  # noqa: E402  (needs the path above)

BUILDERS = {"house": house.build, "room": room.build, "grid": grid.build, "wall": wall.build, "statue": statue.build, "village": village.build,
            "yard": yard.build, "rig": rig.build,
            "ball": targets.build_ball, "shaft": targets.build_shaft, "blocks": targets.build_blocks, "stage": targets.build_stage,
            "drive_ground": moving.build_ground, "drive_cart": moving.build_cart, "drive_wheel": moving.build_wheel,
            "fan_rotor": moving.build_rotor, "fan_stand": moving.build_stand, "flag_pole": moving.build_pole}
BUILDERS.update({"crate": pieces.build_crate, "stairs": pieces.build_stairs, "tray": pieces.build_tray, "jelly": pieces.build_jelly})
BUILDERS.update({name: (lambda name=name: pieces.build_piece(name)) for name in pieces.PIECES})
BUILDERS.update({f"flag/flag_{k:02}": (lambda k=k: moving.build_sheet(k)) for k in range(moving.SHAPES)})


def main():
    parser = argparse.ArgumentParser(description="Writes the OBJ and MTL files of this folder.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"models, all if none: {', '.join(BUILDERS)}")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    args = parser.parse_args()
    unknown = [n for n in args.names if n not in BUILDERS]
    if unknown:
        parser.error(f"no model {', '.join(unknown)}; there are {', '.join(BUILDERS)}")
    stale = 0
    for name in args.names or BUILDERS:
        model = BUILDERS[name]()
        library = os.path.join(os.path.dirname(name), model.library)
        for file, text in ((f"{name}.obj", model.obj()), (f"{library}.mtl", model.mtl())):
            path = os.path.join(FOLDER, file)
            if args.check:
                stale += not _same(path, text)
            else:
                _write(path, text)
        print(f"{name}: {len(model.parts)} solids, {model.triangles()} triangles")
    if stale:
        print(f"{stale} files are not current: run `python3 assets/generate.py`", file=sys.stderr)
    return 1 if stale else 0


def _same(path, text):
    try:
        with open(path, "rb") as file:
            return file.read() == text.encode("ascii")
    except FileNotFoundError:
        return False


def _write(path, text):
    """Whole or not at all."""
    temporary = path + ".part"
    with open(temporary, "wb") as file:
        file.write(text.encode("ascii"))
    os.replace(temporary, path)


if __name__ == "__main__":
    sys.exit(main())
