# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of the rig: OpenSCAD draws the meshes, Pillow adds numbers and names."""
import math
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import manifold3d
import numpy
from PIL import Image, ImageDraw, ImageFont

import mesh

COLOURS = {"frame": "#e0a458", "carriage": "#4f86c6", "slide": "#5aa469", "enclosure": "#9b72aa",
           "card": "#303030"}
BOUGHT = "#b8bcc2"
FIELD_OF_VIEW = 22.5  # degrees, OpenSCAD's own
VIEW = (65, 0, 25)


@dataclass
class Scene:
    """A picture: meshes with an offset and a colour each, and their labels."""
    title: str
    size: tuple = (1600, 1000)
    turn: tuple = VIEW
    items: list = field(default_factory=list)   # (triangles, offset, colour)
    labels: list = field(default_factory=list)  # (text, point)
    margin: float = 1.12

    def add(self, triangles, offset=(0, 0, 0), colour=BOUGHT):
        self.items.append((triangles, numpy.array(offset, float), colour))

    def label(self, text, triangles, offset=(0, 0, 0)):
        """Puts the text at the part's corner that is nearest to the viewer."""
        corners = triangles.reshape(-1, 3) + offset
        middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
        towards = corners @ self.axes()[2] - 0.5 * numpy.linalg.norm(corners - middle, axis=1)
        self.labels.append((text, corners[towards.argmax()]))

    def axes(self):
        """Returns right, up, and the direction towards the viewer, as rotated by OpenSCAD's camera."""
        x, y, z = (math.radians(angle) for angle in (90 - self.turn[0], -self.turn[1], -self.turn[2]))
        around_x = numpy.array([[1, 0, 0], [0, math.cos(x), -math.sin(x)], [0, math.sin(x), math.cos(x)]])
        around_y = numpy.array([[math.cos(y), 0, math.sin(y)], [0, 1, 0], [-math.sin(y), 0, math.cos(y)]])
        around_z = numpy.array([[math.cos(z), -math.sin(z), 0], [math.sin(z), math.cos(z), 0], [0, 0, 1]])
        turned = around_x @ around_y @ around_z
        return turned[0], turned[2], -turned[1]

    def draw(self, file):
        right, up, _ = self.axes()
        corners = numpy.concatenate([triangles.reshape(-1, 3) + offset for triangles, offset, _ in self.items])
        flat = numpy.stack([corners @ right, corners @ up], axis=1)
        low, high = flat.min(axis=0), flat.max(axis=0)
        middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
        # The centre of the box may differ from the centre of the picture.
        shift = (low + high) / 2 - [middle @ right, middle @ up]
        middle = middle + right * shift[0] + up * shift[1]
        width, height = self.size
        half = max((high - low)[1] / 2, (high - low)[0] / 2 * height / width) * self.margin
        distance = half / math.tan(math.radians(FIELD_OF_VIEW / 2))
        image = self.render(middle, distance)
        scale = height / 2 / half
        seen = [(text, width / 2 + (point - middle) @ right * scale, height / 2 - (point - middle) @ up * scale)
                for text, point in self.labels]
        annotate(image, self.title, seen)
        save(image, file)

    def render(self, middle, distance):
        with tempfile.TemporaryDirectory() as folder:
            lines = []
            for index, (triangles, offset, colour) in enumerate(self.items):
                name = Path(folder) / f"{index}.stl"
                write_stl(name, triangles + offset)
                lines.append(f'color("{colour}") import("{name}");')
            scene = Path(folder) / "scene.scad"
            scene.write_text("\n".join(lines) + "\n")
            picture = Path(folder) / "scene.png"
            camera = ",".join(f"{value:.4f}" for value in (*middle, *self.turn, distance))
            words = ["openscad", "--preview", "--projection=o", f"--camera={camera}", "--colorscheme=Tomorrow",
                     f"--imgsize={self.size[0]},{self.size[1]}", "-o", str(picture), str(scene)]
            if not os.environ.get("DISPLAY"):
                if not shutil.which("xvfb-run"):
                    raise FileNotFoundError("pictures need a display or xvfb: apt install xvfb xauth")
                words = ["xvfb-run", "-a", "-s", "-screen 0 1280x1024x24", *words]
            told = subprocess.run(words, capture_output=True, text=True, check=False)
            if not picture.exists():
                raise RuntimeError("openscad drew nothing: " + told.stderr)
            return Image.open(picture).convert("RGB")


def write_stl(file, triangles):
    direction, _ = mesh.normals(triangles)
    data = numpy.zeros(len(triangles), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    data["normal"], data["corners"] = direction, triangles
    file.write_bytes(b"\0" * 80 + numpy.uint32(len(triangles)).tobytes() + data.tobytes())


def font(points):
    for name in ("DejaVuSans.ttf", "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"):
        try:
            return ImageFont.truetype(name, points)
        except OSError:
            pass
    return ImageFont.load_default(points)


def annotate(image, title, seen):
    """Writes each label above or below the picture, in the order of the labelled points, so that no lines cross."""
    draw = ImageDraw.Draw(image)
    letters = font(22)
    draw.text((20, 14), title, fill="#202020", font=font(26))
    width, height = image.size
    middle = sorted(y for _, _, y in seen)[len(seen) // 2] if seen else 0
    for rows, upper in (([s for s in seen if s[2] < middle], True), ([s for s in seen if s[2] >= middle], False)):
        rows.sort(key=lambda s: s[1])
        boxes = [draw.textbbox((0, 0), text, font=letters) for text, _, _ in rows]
        widths = [max(box[2] - box[0] + 18, 34) for box in boxes]
        places = spread([x for _, x, _ in rows], widths, width)
        for (text, x, y), middle_x, box_width in zip(rows, places, widths):
            row_y = 74 if upper else height - 34
            draw.line([(middle_x, row_y + (17 if upper else -17)), (x, y)], fill="#202020", width=2)
            draw.ellipse([x - 4, y - 4, x + 4, y + 4], fill="#202020")
            draw.rounded_rectangle([middle_x - box_width / 2, row_y - 17, middle_x + box_width / 2, row_y + 17], 15,
                                   fill="white", outline="#202020", width=2)
            draw.text((middle_x, row_y), text, fill="#202020", font=letters, anchor="mm")


def spread(wanted, widths, width):
    """Returns places near the requested ones at which boxes do not overlap."""
    places = list(wanted)
    for _ in range(400):
        for index in range(len(places) - 1):
            lack = (widths[index] + widths[index + 1]) / 2 + 6 - (places[index + 1] - places[index])
            if lack > 0:
                places[index] -= lack / 2
                places[index + 1] += lack / 2
        places = [min(max(place, box / 2 + 4), width - box / 2 - 4) for place, box in zip(places, widths)]
    return places


def box(low, high):
    made = manifold3d.Manifold.cube(numpy.subtract(high, low)).translate(low).to_mesh()
    return numpy.asarray(made.vert_properties)[:, :3].astype(float)[numpy.asarray(made.tri_verts)]


class Gallery:
    def __init__(self, catalogue):
        self.catalogue = catalogue
        self.meshes = {}
        # Numbers of the parts in every picture and table.
        self.numbers = {part.name: str(index + 1) for index, part in enumerate(catalogue.printed())}

    def mesh(self, name):
        if name not in self.meshes:
            self.meshes[name] = mesh.read_stl(self.catalogue.stl(name, as_printed=False))
        return self.meshes[name]

    def put(self, scene, name, offset=(0, 0, 0), only=None, label=True):
        part = self.catalogue.parts[name]
        colour = COLOURS.get(part.moved_by, BOUGHT) if not part.bought or part.moved_by == "card" else BOUGHT
        places = part.at if only is None else [part.at[index] for index in only]
        for place in places:
            scene.add(self.mesh(name), numpy.add(offset, place), colour)
        if label:
            text = self.numbers.get(name, name.replace("_", " "))
            scene.label(text, self.mesh(name), numpy.add(offset, places[0]))

    def assembled(self, x, z):
        scene = Scene("The rig with cards, without its enclosure", turn=(68, 0, 18))
        for part in self.catalogue.parts.values():
            shift = {"frame": (0, 0, 0), "card": (0, 0, 0), "carriage": (x, 0, 0), "slide": (x, 0, -z)}.get(part.moved_by)
            if shift is not None:
                self.put(scene, part.name, shift, label=False)
        for name in ("half_magazine", "reader_bank", "slot_guide", "bins_base", "drawer_fail", "nest", "motor_bracket", "idler_bracket"):
            scene.label(self.numbers[name], self.mesh(name), self.catalogue.parts[name].at[-1])
        for name in ("carriage", "slide", "nose"):
            scene.label(self.numbers[name], self.mesh(name), (x, 0, 0 if name == "carriage" else -z))
        return scene

    def exploded_base(self):
        scene = Scene("What stands on the base", size=(1600, 1150), turn=(60, 0, 22))
        offsets = {"half_magazine": (0, 0, 70), "reader_bank": (0, 0, 70), "slot_guide": (0, 0, 150), "cradle": (0, -150, 20),
                   "reader": (0, -150, 100), "bins_base": (0, 0, 70), "drawer_pass": (0, -150, 70), "drawer_fail": (0, -150, 70),
                   "drawer_retest": (0, -150, 70), "drawer_unknown": (0, -150, 70), "nest": (25, 0, 70), "pin_block": (40, 0, 120),
                   "card": (0, 0, 150), "motor_bracket": (0, -70, 60), "idler_bracket": (0, -70, 60), "x_home_bracket": (-10, -60, -20)}
        for name in ("beams", "x_rail", "x_motor", *offsets):
            self.put(scene, name, offsets.get(name, (0, 0, 0)))
        return scene

    def exploded_carriage(self):
        scene = Scene("Carriage and slide", size=(1500, 1100), turn=(66, 0, 38), margin=1.28)
        offsets = {"x_block": (0, 110, 0), "fork_arm": (0, 60, -30), "comb_fork": (0, 60, -70), "x_belt_clamp": (0, 60, 40), "z_motor": (0, 75, 30),
                   "carriage": (0, 0, 0), "z_fork": (-20, -25, 0), "z_idler": (0, -30, 0), "spring": (0, -30, 30), "z_rail": (0, -50, 0), "z_block": (0, -85, 0),
                   "slide": (0, -130, 0), "solenoid": (40, -150, 0), "nose": (0, -190, -10), "jaw": (30, -190, -10), "axle": (30, -220, -10), "pad": (-30, -190, -10), "barb": (30, -225, -10)}
        for name, offset in offsets.items():
            self.put(scene, name, offset)
        self.put(scene, "card", (0, -190, -70 + 40.5), only=[0], label=False)
        scene.items[-1] = (scene.items[-1][0], numpy.array((0, -190, -60.0)), "#303030")
        scene.label("card", self.mesh("card"), (0, -190, -60))
        return scene

    def enclosure(self):
        """Three panels, the joints, and the rig inside."""
        scene = Scene("The enclosure: floor, back and left panel, with the joints of all", turn=(66, 0, 24))
        for part in self.catalogue.parts.values():
            if part.moved_by in ("frame", "carriage", "slide", "card"):
                self.put(scene, part.name, label=False)
        low, high = numpy.array(self.catalogue.limits["room"], float)
        thick = self.catalogue.limits["panel"]
        for axis, side in ((2, 0), (1, 1), (0, 0)):
            start, end = low.copy(), high.copy()
            start[axis], end[axis] = (low[axis] - thick, low[axis]) if side == 0 else (high[axis], high[axis] + thick)
            scene.add(box(start, end), colour="#d7e3ea")
        ends = [(low[axis], high[axis]) for axis in range(3)]
        for index in range(8):
            sides = [index >> axis & 1 for axis in range(3)]
            triangles = self.mesh("corner") * [1 - 2 * side for side in sides]
            # A mirrored part equals the rotated part: it is symmetric.
            triangles = triangles[:, ::-1] if sum(sides) % 2 else triangles
            place = [ends[axis][side] for axis, side in enumerate(sides)]
            scene.add(triangles, place, COLOURS["enclosure"])
            if index == 1:
                scene.label(self.numbers["corner"], triangles, place)
        # Joints are along the edges at the back and at the centre of the short edges. The front has none, because of
        # the door.
        middle = (low + high) / 2
        long_edges = [(0, (x, 1, side)) for side in (0, 1) for x in numpy.linspace(low[0], high[0], 5)[1:-1]]
        short_edges = [(1, (left, middle[1], side)) for left in (0, 1) for side in (0, 1)]
        back_edges = [(2, (left, 1, middle[2])) for left in (0, 1)]
        for along, where in long_edges + short_edges + back_edges:
            sides = [0 if axis == along else int(where[axis]) for axis in range(3)]
            # Drawn along Z between X and Y; rotated so that its edge is parallel to `along`.
            triangles = self.mesh("edge_joint")[:, :, {0: [2, 0, 1], 1: [1, 2, 0], 2: [0, 1, 2]}[along]]
            triangles = triangles * [1 - 2 * side for side in sides]
            triangles = triangles[:, ::-1] if sum(sides) % 2 else triangles
            place = [where[axis] if axis == along else ends[axis][int(where[axis])] for axis in range(3)]
            scene.add(triangles, place, COLOURS["enclosure"])
        scene.label(self.numbers["edge_joint"], triangles, place)
        return scene

    def section(self):
        """Nose and card at the centre of a pocket, cut along Y = 0."""
        scene = Scene("Nose over pocket 3, cut in the middle: the cup lies on the card's label", size=(1400, 1100), turn=(90, 0, 0), margin=1.2)
        x, z = self.catalogue.places["stations"][0][1][2], self.catalogue.places["stations"][0][2]
        wanted = [("nose", (x, 0, -z)), ("pad", (x, 0, -z)), ("jaw", (x, 0, -z)), ("half_magazine", (0, 0, 0)), *(("card", place) for place in self.catalogue.parts["card"].at[:5])]
        for name, offset in wanted:
            part = self.catalogue.parts[name]
            cut = mesh.solid(self.mesh(name) + numpy.array(offset, float))
            if name != "half_magazine":
                cut = cut.trim_by_plane((0, -1, 0), -1.0) # a thin slice shows cavities
            cut = cut.trim_by_plane((0, 1, 0), 0.0).trim_by_plane((-1, 0, 0), -46).trim_by_plane((1, 0, 0), 4).trim_by_plane((0, 0, -1), -120)
            if cut.is_empty():
                continue
            made = cut.to_mesh()
            triangles = numpy.asarray(made.vert_properties)[:, :3].astype(float)[numpy.asarray(made.tri_verts)]
            colour = "#d05050" if name == "pad" else COLOURS.get(part.moved_by, BOUGHT)
            scene.add(triangles, (0, 0, 0), colour)
            if not scene.labels or scene.labels[-1][0] != "card":
                scene.label(self.numbers.get(name, name), triangles)
        return scene

    def sheet(self):
        """All printed parts in their position on the bed, with their names."""
        cell, columns = 320, 6
        parts = self.catalogue.printed()
        rows = -(-len(parts) // columns)
        sheet = Image.new("RGB", (cell * columns, (cell + 34) * rows), "white")
        draw = ImageDraw.Draw(sheet)
        for index, part in enumerate(parts):
            scene = Scene("", size=(cell, cell), turn=(55, 0, 25), margin=1.1)
            scene.add(mesh.read_stl(self.catalogue.stl(part.name)), (0, 0, 0), COLOURS[part.moved_by])
            with tempfile.TemporaryDirectory() as folder:
                scene.draw(Path(folder) / "part.png")
                picture = Image.open(Path(folder) / "part.png").convert("RGB")
            at = (index % columns * cell, index // columns * (cell + 34))
            sheet.paste(picture, (at[0], at[1] + 34))
            draw.text((at[0] + 8, at[1] + 6), f"{self.numbers[part.name]}  {part.name} x {part.count}", fill="#202020", font=font(19))
        return sheet

    def make(self, folder):
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        port = self.catalogue.places["stations"][1]
        scenes = {"rig": self.assembled(port[1][1], port[2]), "base": self.exploded_base(), "carriage": self.exploded_carriage(),
                  "nose": self.section(), "enclosure": self.enclosure()}
        for name, scene in scenes.items():
            scene.draw(folder / f"mechanics-{name}.png")
        save(self.sheet(), folder / "mechanics-parts.png")
        # Contains the checksum of the sources of these pictures: a test compares it.
        (folder / "mechanics.sources").write_text(self.catalogue.drawn_by() + "\n")


def save(image, file):
    image.convert("P", palette=Image.Palette.ADAPTIVE, colors=96).save(file, optimize=True)
