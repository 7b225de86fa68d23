"""A model: named solids with materials, and the OBJ and MTL text they become.

The text depends on nothing but the model: coordinates are rounded to 0.1 mm before they are checked.
"""

from .palette import MATERIALS

DECIMALS = 4



class Model:
    """Solids in the order they were added, each under an object name and a material."""

    def __init__(self, name, title, library=None):
        """`library`: name of the MTL file, where several models share one."""
        self.name, self.title = name, title
        self.library = library or name
        self.parts = []

    def add(self, object_name, material_name, *solids):
        """Adds solids, after checking that each is closed, wound outwards and not degenerate."""
        assert material_name in MATERIALS, f"{object_name}: no material {material_name}"
        for solid in solids:
            done = solid.rounded(DECIMALS).outward().flat()
            done.check(f"{self.name}.{object_name}")
            self.parts.append((object_name, material_name, done))

    def triangles(self):
        return sum(len(solid.triangles()) for _, _, solid in self.parts)

    def obj(self):
        """The OBJ text."""
        lines = [
            f"# {self.title}",
            "# Written by assets/generate.py: change the generator, not this file. Licence: CC0 1.0.",
            "# Metres, y up. Every solid is closed and wound counter-clockwise seen from outside.",
            f"# {len(self.parts)} solids, {self.triangles()} triangles",
            f"mtllib {self.library}.mtl",
        ]
        offset, current = 1, (None, None)
        for object_name, material_name, solid in self.parts:
            if object_name != current[0]:
                lines.append(f"o {object_name}")
            lines += ["v " + " ".join(_number(c) for c in p) for p in solid.points]
            if (object_name, material_name) != current:
                lines.append(f"usemtl {material_name}")
            lines += ["f " + " ".join(str(offset + i) for i in f) for f in solid.faces]
            offset += len(solid.points)
            current = (object_name, material_name)
        return "\n".join(lines) + "\n"

    def mtl(self):
        """The MTL text: the materials that are used, sorted by name."""
        lines = ["# Written by assets/generate.py. Kd is linear RGB. Licence: CC0 1.0."]
        for name in sorted({m for _, m, _ in self.parts}):
            (r, g, b), shine, exponent, opacity = MATERIALS[name]
            lines += [f"newmtl {name}", f"Kd {_number(r)} {_number(g)} {_number(b)}"]
            if shine is not None:
                lines += [f"Ks {_number(shine)} {_number(shine)} {_number(shine)}", f"Ns {_number(exponent)}"]
            if opacity is not None:
                lines.append(f"d {_number(opacity)}")
        return "\n".join(lines) + "\n"


def _number(value):
    text = f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
