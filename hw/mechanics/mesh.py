# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes as arrays, and properties of a mesh: size, walls, overhangs. Millimetres."""
import re
import subprocess

import manifold3d
import numpy

NUMBER = rb"\s+(\S+)\s+(\S+)\s+(\S+)"


def read_stl(file):
    """Returns the corners of the triangles of an ASCII STL file, as an array of n x 3 x 3."""
    found = re.findall(rb"vertex" + NUMBER, file.read_bytes())
    return numpy.array(found, dtype=float).reshape(-1, 3, 3)


def solid(triangles):
    """Returns a manifold of triangles. Its status reports triangles that do not enclose a body."""
    corners, index = numpy.unique(triangles.reshape(-1, 3).round(5), axis=0, return_inverse=True)
    return manifold3d.Manifold(manifold3d.Mesh(vert_properties=corners.astype(numpy.float32),
                                               tri_verts=index.reshape(-1, 3).astype(numpy.uint32)))


def closed_by_admesh(file):
    """Returns the defects of a file reported by admesh: empty if the mesh is closed, oriented, and without
    degenerate facets."""
    told = subprocess.run(["admesh", "--no-check", str(file)], capture_output=True, text=True, check=False).stdout
    exact = subprocess.run(["admesh", "--exact", "--normal-directions", str(file)], capture_output=True, text=True, check=False).stdout
    if "Number of facets" not in told or "Number of facets" not in exact:
        return ["admesh cannot read it"]
    wrong = []
    for line in exact.splitlines():
        # Takes admesh's count before repair, because a facet that admesh repaired was wrong.
        found = re.match(r"(Total disconnected facets|Facets reversed|Backwards edges|Degenerate facets)\s*:\s*(\d+)", line.strip())
        if found and int(found[2]) > 0:
            wrong.append(f"{found[1].lower()}: {found[2]}")
        for found in re.finditer(r"(Degenerate facets|Facets reversed|Backwards edges)\s*:\s*(\d+)", line):
            note = f"{found[1].lower()}: {found[2]}"
            if int(found[2]) > 0 and note not in wrong:
                wrong.append(note)
    return wrong


def size(triangles):
    corners = triangles.reshape(-1, 3)
    return corners.max(axis=0) - corners.min(axis=0)


def normals(triangles):
    cross = numpy.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    area = numpy.linalg.norm(cross, axis=1)
    return cross / numpy.maximum(area, 1e-12)[:, None], area / 2


def thinnest_wall(triangles, samples=1500):
    """Returns the least distance from a point of the surface through the body to an opposite surface, and the point.
    Wedges, whose sides meet, are not walls: only nearly opposite sides count."""
    direction, area = normals(triangles)
    random = numpy.random.default_rng(1)
    chosen = numpy.concatenate([numpy.flatnonzero(area > 0.05), random.choice(len(triangles), samples, p=area / area.sum())])
    share = random.dirichlet((1, 1, 1), len(chosen))
    points = (triangles[chosen] * share[:, :, None]).sum(axis=1)
    rays = -direction[chosen]
    edge1, edge2 = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    least, where = numpy.inf, None
    for first in range(0, len(points), 64):
        origin, ray = points[first:first + 64, None], rays[first:first + 64, None]
        # Moeller and Trumbore, "Fast, minimum storage ray/triangle intersection", 1997.
        p = numpy.cross(ray, edge2)
        with numpy.errstate(divide="ignore", invalid="ignore"):
            inverse = 1 / (p * edge1).sum(axis=2)
            to = origin - triangles[:, 0]
            u = (to * p).sum(axis=2) * inverse
            q = numpy.cross(to, edge1)
            v = (ray * q).sum(axis=2) * inverse
            distance = (edge2 * q).sum(axis=2) * inverse
            hit = (u >= 0) & (v >= 0) & (u + v <= 1) & (distance > 1e-4)
        distance = numpy.where(hit, distance, numpy.inf)
        nearest = distance.argmin(axis=1)
        depth = distance[numpy.arange(len(nearest)), nearest]
        opposite = (direction[nearest] * rays[first:first + 64]).sum(axis=1) > 0.97
        depth = numpy.where(opposite, depth, numpy.inf)
        if depth.min() < least:
            least, where = depth.min(), points[first + depth.argmin()]
    return float(least), where


GRID = 0.25  # mm


def unsupported(triangles, max_overhang, max_bridge, max_lip):
    """Returns area (mm2) and place of the surfaces that would be printed in the air. Such a surface is steeper than
    `max_overhang` degrees from the vertical and not on the bed. It is neither a bridge of at most `max_bridge` between
    two sides nor a lip of at most `max_lip` at one side."""
    direction, _ = normals(triangles)
    floor = triangles[:, :, 2].min()
    steep = (-direction[:, 2] > numpy.sin(numpy.radians(max_overhang)) + 1e-6) & (triangles[:, :, 2].max(axis=1) > floor + 0.05)
    if not steep.any():
        return []
    body = solid(triangles)
    wrong = []
    for group in connected(triangles[steep]):
        low = group[:, :, 2].min()
        if low < floor + 0.05:
            continue
        origin = group[:, :, :2].min(axis=(0, 1)) - 4 * GRID
        shape = tuple(numpy.ceil((group[:, :, :2].max(axis=(0, 1)) - origin) / GRID).astype(int) + 4)
        hanging = numpy.zeros(shape, bool)
        for triangle in group:
            fill(hanging, (triangle[:, :2] - origin) / GRID)
        below = numpy.zeros(shape, bool)
        for polygon in body.slice(low - 0.1).to_polygons():
            below ^= inside(shape, (numpy.array(polygon) - origin) / GRID)
        in_air = hanging & ~below
        carried = numpy.zeros(shape, bool)
        for axis in (0, 1):
            carried |= bridged(in_air, below, axis, max_bridge / GRID, max_lip / GRID)
        area = (in_air & ~carried).sum() * GRID * GRID
        # Single cells are artefacts of the raster.
        if area > 1.0:
            cells = numpy.argwhere(in_air & ~carried).mean(axis=0)
            wrong.append((round(float(area), 1), [round(float(v), 1) for v in (*(origin + cells * GRID), low)]))
    return wrong


def connected(triangles):
    """Groups triangles that share corners."""
    _, index = numpy.unique(triangles.reshape(-1, 3).round(3), axis=0, return_inverse=True)
    index = index.reshape(-1, 3)
    label = numpy.arange(index.max() + 1)
    while True:
        least = label[index].min(axis=1)
        new = label.copy()
        numpy.minimum.at(new, index, least[:, None])
        new = new[new]
        if (new == label).all():
            break
        label = new
    owner = label[index[:, 0]]
    return [triangles[owner == value] for value in numpy.unique(owner)]


def inside(shape, polygon):
    """Returns the cells whose centre is inside a closed polygon, by the even-odd rule along columns."""
    x = numpy.arange(shape[0])[:, None] + 0.5
    y = numpy.arange(shape[1])[None, :] + 0.5
    result = numpy.zeros(shape, bool)
    for (x1, y1), (x2, y2) in zip(polygon, numpy.roll(polygon, -1, axis=0)):
        if x1 != x2:
            crosses = (numpy.minimum(x1, x2) <= x) & (x < numpy.maximum(x1, x2))
            result ^= crosses & (y1 + (x - x1) * (y2 - y1) / (x2 - x1) > y)
    return result


def fill(cells, triangle):
    (x1, y1), (x2, y2), (x3, y3) = triangle
    left, right = int(triangle[:, 0].min()), int(triangle[:, 0].max()) + 2
    down, up = int(triangle[:, 1].min()), int(triangle[:, 1].max()) + 2
    x, y = numpy.mgrid[left:right, down:up] + 0.5
    sides = [(x - xa) * (yb - ya) - (y - ya) * (xb - xa) for xa, ya, xb, yb in
             ((x1, y1, x2, y2), (x2, y2, x3, y3), (x3, y3, x1, y1))]
    within = numpy.logical_and.reduce([side >= 0 for side in sides]) | numpy.logical_and.reduce([side <= 0 for side in sides])
    cells[left:right, down:up] |= within[:cells.shape[0] - left, :cells.shape[1] - down]


def bridged(in_air, below, axis, longest, lip):
    """Returns the cells of runs along `axis` that are supported at both ends and not too long, or at one end and
    very short."""
    result = numpy.zeros(in_air.shape, bool)
    rows, supports, into = (a if axis == 1 else a.T for a in (in_air, below, result))
    for row, support, out in zip(rows, supports, into):
        edges = numpy.flatnonzero(numpy.diff(numpy.concatenate([[0], row.astype(int), [0]])))
        for start, end in zip(edges[::2], edges[1::2]):
            before = support[max(start - 2, 0):start].any()
            after = support[end:end + 2].any()
            length = end - start
            if (before and after and length <= longest + 1) or ((before or after) and length <= lip + 1):
                out[start:end] = True
    return result
