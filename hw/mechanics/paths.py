# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the paths of the carriage for collisions. Exact bodies; volumes in mm3."""
import manifold3d
import numpy

import mesh

TOUCH = 0.02  # mm3: touching faces overlap by less, because of rounding in the meshes
# These pairs may overlap. Wires, belts and rubber bend, but the model shows them straight; the solenoid's rod moves
# with the jaw.
GIVES_WAY = [{"x_belt", "x_belt_clamp"}, {"x_belt", "x_motor"}, {"x_belt", "x_idler"}, {"pad", "card"}, {"pad", "nose"},
              {"axle", "nose"}, {"jaw", "solenoid"}]


class Body:
    """A part at a place in the rig."""

    def __init__(self, name, solid):
        self.name, self.solid = name, solid
        self.box = numpy.array(solid.bounding_box()).reshape(2, 3)

    def moved(self, x=0.0, y=0.0, z=0.0):
        return Body(self.name, self.solid.translate((x, y, z)))

    def overlap(self, other):
        if {self.name, other.name} in GIVES_WAY:
            return 0.0
        if (self.box[0] >= other.box[1]).any() or (other.box[0] >= self.box[1]).any():
            return 0.0
        return (self.solid ^ other.solid).volume()


class Rig:
    """The parts of the rig in their places."""

    def __init__(self, catalogue, replaced=None):
        """`replaced`: for the name of a part, another catalogue that provides this part."""
        self.catalogue = catalogue
        self.replaced = replaced or {}
        self.places = catalogue.places["stations"]
        self.fixed, self.carriage, self.slide = [], [], []
        for part in catalogue.parts.values():
            groups = {"frame": self.fixed, "carriage": self.carriage, "slide": self.slide}
            if part.moved_by in groups:
                body = self.body(part.name)
                groups[part.moved_by] += [body.moved(*at) for at in part.at]
        self.held = [self.body("card")]
        rest = catalogue.parts["card"].at
        # One list for each pocket: the bodies in it.
        self.standing = [[body.moved(*at) for body in self.held] for at in rest]

    def body(self, name):
        source = self.replaced.get(name, self.catalogue)
        return Body(name, mesh.solid(mesh.read_stl(source.stl(name, as_printed=False))))

    def at_rest(self):
        """Returns the parts that overlap at rest."""
        everything = self.fixed + self.carriage + self.slide + [body for pocket in self.standing for body in pocket]
        return meetings(everything, everything, "at rest")

    def x_way(self, lowered=3.0):
        """Returns the collisions of the carriage between its stops, at a raised Z, with and without a held card. The
        silhouette of each part is extruded over the whole path, slice by slice: never less than the swept volume."""
        low, high = self.catalogue.places["x_stops"]
        up = self.catalogue.places["z_stops"][0]
        fixed = self.fixed + [body for pocket in self.standing for body in pocket]
        found = []
        for body in self.carriage + self.slide + self.held:
            moves = body not in self.carriage
            for z in ((-up, 0.0, -lowered) if moves else (0.0,)):
                for swept in drawn_along_x(body.moved(z=z), low, high):
                    found += meetings([swept], fixed, f"on the way along X, {-z:g} mm below the origin of Z")
        return found

    def z_ways(self, stations, step):
        """Returns the collisions of the slide at stations, on its way down and up, empty and holding."""
        found = []
        for kind, index, x, depth in stations:
            where = f"over {kind} {index}"
            near = [body for body in self.fixed if body.box[0][0] < x + 45 and body.box[1][0] > x - 45]
            others = [body for pocket, bodies in enumerate(self.standing) if not (kind == "pocket" and pocket == index)
                      for body in bodies if abs(body.box[0][0] - x) < 60]
            own = self.standing[index] if kind == "pocket" else []
            slide = [body.moved(x=x) for body in self.slide]
            held = [body.moved(x=x) for body in self.held]
            carriage = [body.moved(x=x) for body in self.carriage]
            error = self.catalogue.places["stop_error"]
            for z in [*numpy.arange(0.0, depth, step), depth]:
                text = f"{where}, {z:.2f} mm down"
                moving = [body.moved(z=-z) for body in slide]
                found += meetings(moving, near + others + carriage, text)
                for shift in (-error, error):
                    found += meetings([body.moved(x=shift) for body in moving], near + others, f"{text}, {shift:g} mm beside")
                found += meetings(moving, own, text)
                found += meetings([body.moved(z=-z) for body in held], near + others, text + ", holding")
                if found:
                    return found
        return found

    def slide_on_carriage(self, step):
        """Returns the collisions of slide and carriage between the stops of Z; checks that the stops exist."""
        low, high = self.catalogue.places["z_stops"]
        found = []
        for z in [*numpy.arange(low, high, step), high]:
            found += meetings([body.moved(z=-z) for body in self.slide], self.carriage, f"{z:.2f} mm down on the carriage")
        for z, name in ((low - 1, "upper"), (high + 1, "lower")):
            if not meetings([body.moved(z=-z) for body in self.slide if body.name == "slide"],
                            [body for body in self.carriage if body.name == "carriage"], ""):
                found.append(f"no {name} stop of Z")
        return found

    def stations(self, everywhere):
        """Returns all stations of the rig, or only those at the ends of each row and next to the joints of its
        modules."""
        result = []
        for kind, xs, depth in self.places:
            chosen = range(len(xs)) if everywhere else sorted({0, 1, len(xs) // 2 - 1, len(xs) // 2, len(xs) - 1} & set(range(len(xs))))
            result += [(kind, index, xs[index], depth) for index in chosen]
        return result


def meetings(some, others, where):
    found = []
    for first in some:
        for second in others:
            if first is not second and (some is not others or id(first) < id(second)):
                volume = first.overlap(second)
                if volume > TOUCH:
                    found.append(f"{first.name} meets {second.name} {where}: {volume:.2f} mm3")
    return found


def drawn_along_x(body, low, high, slices=8):
    left, right = body.box[0][0], body.box[1][0]
    for number in range(slices):
        start, end = (left + (right - left) * share / slices for share in (number, number + 1))
        part = body.solid.trim_by_plane((1, 0, 0), start).trim_by_plane((-1, 0, 0), -end)
        if part.is_empty():
            continue
        # Rotated so that X points up: project() looks along Z.
        drawn = manifold3d.Manifold.extrude(part.rotate((0, -90, 0)).project(), end - start + high - low).rotate((0, 90, 0))
        yield Body(body.name, drawn.translate((start + low - drawn.bounding_box()[0], 0, 0)))
