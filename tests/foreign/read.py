"""Reads an exported file with a program that others wrote and prints what it holds as JSON.

usage: read.py READER FILE
"""

import csv
import gzip
import json
import os
import sys
import tempfile

import meshio
import numpy as np


def plain(array):
    return np.asarray(array).tolist()


def plyfile(path):
    import plyfile as reader

    vertex = reader.PlyData.read(path)["vertex"]
    found = {name: plain(vertex[name]) for name in vertex.data.dtype.names}
    # A second opinion on the places.
    points = meshio.read(path).points
    assert np.array_equal(points, np.stack([vertex[k] for k in "xyz"], axis=1)), "meshio reads other places"
    return found


def pyvista(path):
    import pyvista as reader

    mesh = reader.read(path)
    found = {name: plain(mesh.point_data[name]) for name in mesh.point_data.keys()}
    found["position"] = plain(mesh.points)
    assert mesh.n_verts == mesh.n_points, "every point is a vertex"
    return found


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = rows[0].keys()
    return {name: [row[name] for row in rows] for name in names}


def trimesh_points(path):
    import trimesh

    return {"position": plain(trimesh.load(path, process=False).vertices)}


def splashsurf(path):
    import pysplashsurf  # its import teaches meshio to read bgeo

    with tempfile.TemporaryDirectory() as folder:
        # Its own reader in Rust takes the file as it is ...
        vtk = os.path.join(folder, "points.vtk")
        pysplashsurf.run_splashsurf(["splashsurf", "convert", "-q", "--particles", path, "-o", vtk])
        points = meshio.read(vtk).points
        # ... that in Python knows the attributes, and wants it packed.
        packed = os.path.join(folder, "points.bgeo")
        with open(path, "rb") as file, gzip.open(packed, "wb") as out:
            out.write(file.read())
        mesh = meshio.read(packed)
    assert np.array_equal(points.astype("f4"), np.asarray(mesh.points, "f4")), "the two read other places"
    found = {name: plain(values) for name, values in mesh.point_data.items()}
    found["position"] = plain(mesh.points)
    return found


def surface(path):
    import trimesh

    mesh = trimesh.load(path, process=True)
    again = meshio.read(path)
    assert len(again.cells_dict["triangle"]) == len(mesh.faces), "meshio reads another number of triangles"
    return {
        "watertight": bool(mesh.is_watertight),
        "volume": float(mesh.volume),
        "bounds": plain(mesh.bounds),
        "faces": len(mesh.faces),
    }


READERS = {
    "plyfile": plyfile,
    "pyvista": pyvista,
    "csv": table,
    "trimesh": trimesh_points,
    "splashsurf": splashsurf,
    "surface": surface,
}

if __name__ == "__main__":
    json.dump(READERS[sys.argv[1]](sys.argv[2]), sys.stdout)
