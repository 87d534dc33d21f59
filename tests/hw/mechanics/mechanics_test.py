# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of hw/mechanics: fits, meshes, printable shapes, paths without collisions. Each check is also shown to
detect an inserted fault."""
import os
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "hw" / "mechanics"))
import environment  # noqa: E402

environment.enter()
import catalogue  # noqa: E402

THOROUGH = os.environ.get("MEDIARIG_THOROUGH") == "1"


def without():
    """The reason why this machine cannot run the requested test, or None."""
    subject = sys.argv[1] if len(sys.argv) > 1 else ""
    if not shutil.which("openscad"):
        return "openscad is not installed: apt install openscad"
    if subject == "Meshes" and not shutil.which("admesh"):
        return "admesh is not installed: apt install admesh"
    if subject in ("Meshes", "Shapes", "Paths") and environment.missing():
        return f"Python packages are missing ({', '.join(environment.missing())}): ./run setup fetches them"
    return None


class Parts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.parts = catalogue.Catalogue(cache=environment.CACHE).listed()

    def changed(self, **changes):
        """The parts with other parameters; only the requested meshes are made."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        copied = Path(folder.name) / "scad"
        copied.mkdir()
        return catalogue.Catalogue(catalogue.changed_copy(copied, changes), cache=Path(folder.name) / "meshes")

    def triangles(self, name, source=None):
        import mesh
        return mesh.read_stl((source or self.parts).stl(name))


class Fits(Parts):
    def test_every_row_has_its_remaining_space(self):
        self.assertGreater(len(self.parts.fits), 60)
        for row in self.parts.fits:
            if "worst" in row:
                self.assertLessEqual(row["worst"], row["likely"] + 1e-9, row)
                self.assertLess(row["likely"], row["room"], row)

    def test_a_parameter_that_breaks_a_fit_ends_the_program(self):
        rows = [
            ({"slot_play": "0.1"}, "card in a slot, along X"),
            ({"print_tolerance": "0.5"}, "card in a slot, along X"),
            ({"rail_inside": "9.5"}, "nose between the rails"),
            ({"channel_slack": "0.2"}, "channel of the nose takes a card"),
            ({"pad_proud": "0.4"}, "pad is pressed by a card"),
            ({"x_pocket_pitch": "120"}, "nose beside the card of the next pocket"),
            ({"guide_lead_in": "1.0"}, "held card meets the mouth of a guide"),
            ({"finger_error": "0.6"}, "held card meets the mouth of a slot"),
            ({"tops": "62"}, "held card above what stands"),
            ({"standout": "11"}, "nose above a reader"),
            ({"comb_top": "66"}, "tooth below the ground of the fork"),
            ({"tooth_thickness": "2.0"}, "tooth between the legs of the fork"),
            ({"reader_pull": "3"}, "cup pulls a card out of a reader"),
            ({"motor_torque": "0.1"}, "motor of Z pushes a card in"),
            ({"x_rail": "[-50, 640]"}, "X rail carries the block"),
            ({"z_rail": "[69, 160]"}, "Z block stays on its rail, above"),
            ({"z_lowest": "-155", "z_rail": "[69, 180]"}, "upper stop of Z"),
            ({"x_nest": "12600"}, "bins"),
            ({"reader": "[15, 40, 60]"}, "cradle has walls beside its screws"),
            ({"jaw_rest": "0.6"}, "closed jaw presses the thinnest card"),
            ({"jaw_rest": "1.5"}, "closed jaw without a card leaves the cup open"),
            ({"jaw_opens": "1.15"}, "open jaw takes its pressure off a card"),
            ({"jaw_opens": "3.5"}, "nose beside the card of the next pocket, right"),
            ({"jaw_spring": "1.2"}, "jaw presses the pad tight"),
            ({"sponge_kpa": "60"}, "jaw presses the pad tight"),
            ({"solenoid_push": "1.0"}, "solenoid opens the jaw"),
            ({"z_port": "1060"}, "hinge above the guides"),
            ({"tab_relief": "[1.8, 0.8]"}, "lands beside the relief"),
            ({"tab_relief": "[1.2, 3.2]"}, "wall behind the relief"),
        ]
        for change, told in rows:
            with self.subTest(change):
                with self.assertRaisesRegex(catalogue.Refused, "fit: .*(" + told + ")"):
                    self.changed(**change).listed()

    def test_a_missing_parameter_cannot_be_changed(self):
        with self.assertRaises(ValueError):
            self.changed(no_such_parameter="1")


class Meshes(Parts):
    def test_every_mesh_is_closed(self):
        import manifold3d
        import mesh
        for part in self.parts.parts.values():
            with self.subTest(part.name):
                file = self.parts.stl(part.name)
                self.assertEqual(mesh.closed_by_admesh(file), [])
                body = mesh.solid(self.triangles(part.name))
                self.assertEqual(body.status(), manifold3d.Error.NoError)
                self.assertGreater(body.volume(), 1)

    def test_an_open_or_turned_mesh_is_reported(self):
        import manifold3d
        import mesh
        whole = self.parts.stl("corner").read_text()
        facets = re.findall(r"  facet normal.*?endfacet\n", whole, re.S)
        first, corners = facets[0], re.findall(r"      vertex.*\n", facets[0])
        turned = first.replace("".join(corners), "".join(corners[::-1]))
        for name, text in (("open", whole.replace(first, "", 1)), ("turned", whole.replace(first, turned, 1))):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "part.stl"
                file.write_text(text)
                self.assertNotEqual(mesh.closed_by_admesh(file), [])
                self.assertNotEqual(mesh.solid(mesh.read_stl(file)).status(), manifold3d.Error.NoError)

    def test_an_empty_file_is_not_a_closed_mesh(self):
        import mesh
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "part.stl"
            file.write_text("solid nothing\nendsolid\n")
            self.assertNotEqual(mesh.closed_by_admesh(file), [])

    def test_a_model_that_draws_nothing_is_refused(self):
        with self.assertRaises(catalogue.Refused):
            self.parts.stl("no_such_part")


class Shapes(Parts):
    def too_large(self, triangles):
        import mesh
        return [have for have, room in zip(mesh.size(triangles), self.parts.limits["bed"]) if have > room]

    def hanging(self, triangles):
        import mesh
        limits = self.parts.limits
        return mesh.unsupported(triangles, limits["max_overhang"], limits["max_bridge"], limits["max_lip"])

    def test_every_part_fits_the_bed_and_prints_without_support(self):
        for part in self.parts.printed():
            with self.subTest(part.name):
                triangles = self.triangles(part.name)
                self.assertEqual(self.too_large(triangles), [])
                self.assertEqual(self.hanging(triangles), [])

    def test_no_wall_is_too_thin(self):
        import mesh
        for part in self.parts.printed():
            with self.subTest(part.name):
                least, where = mesh.thinnest_wall(self.triangles(part.name), 20000 if THOROUGH else 1500)
                self.assertGreaterEqual(least, self.parts.limits["min_wall"] - 1e-3, where)

    def test_a_part_too_large_is_reported(self):
        self.assertNotEqual(self.too_large(self.triangles("half_magazine", self.changed(half_magazine="pockets"))), [])

    def test_a_wall_too_thin_is_measured(self):
        import mesh
        least, _ = mesh.thinnest_wall(self.triangles("drawer_fail", self.changed(drawer_wall="0.8")))
        self.assertAlmostEqual(least, 0.8, delta=0.05)

    def test_a_surface_printed_in_the_air_is_reported(self):
        # If the carriage is on its front, the plate hangs on two stops. If a guide is on its side, its posts become
        # shelves.
        self.assertGreater(sum(area for area, _ in self.hanging(self.triangles("carriage") * [1, -1, -1])), 5000)
        self.assertNotEqual(self.hanging(self.triangles("slot_guide")[:, :, [1, 2, 0]]), [])

    def test_a_bridge_is_judged_by_its_length(self):
        import numpy
        import mesh
        import manifold3d
        for span, prints in ((10, True), (20, False)):
            table = (manifold3d.Manifold.cube((5, 8, 10)) + manifold3d.Manifold.cube((5, 8, 10)).translate((5 + span, 0, 0))
                     + manifold3d.Manifold.cube((10 + span, 8, 3)).translate((0, 0, 10)))
            made = table.to_mesh()
            triangles = numpy.asarray(made.vert_properties)[:, :3].astype(float)[numpy.asarray(made.tri_verts)]
            self.assertEqual(self.hanging(triangles) == [], prints, span)
            self.assertAlmostEqual(mesh.thinnest_wall(triangles)[0], 3, delta=1e-3)


class Paths(Parts):
    def rig(self, **replaced):
        import paths
        return paths.Rig(self.parts, replaced)

    def test_nothing_overlaps_at_rest(self):
        self.assertEqual(self.rig().at_rest(), [])

    def test_the_carriage_collides_with_nothing_along_x(self):
        self.assertEqual(self.rig().x_way(), [])

    def test_slide_and_carriage_do_not_collide_between_the_stops_of_z(self):
        self.assertEqual(self.rig().slide_on_carriage(0.25 if THOROUGH else 1.0), [])

    def test_the_slide_collides_with_nothing_at_any_place(self):
        # A step is shorter than two of the thinnest walls, so no wall passes through another wall between two steps.
        rig = self.rig()
        self.assertEqual(rig.z_ways(rig.stations(True), 0.25 if THOROUGH else 2.0), [])

    def test_the_open_jaw_collides_with_nothing_at_any_kind_of_place(self):
        rig = self.rig(jaw=self.changed(jaw_angle="-atan(jaw_opens / 19.75)"))
        self.assertEqual(rig.at_rest(), [])
        self.assertEqual(rig.z_ways(rig.stations(THOROUGH), 0.25 if THOROUGH else 2.0), [])

    def test_the_jaw_without_a_card_rests_at_the_nose(self):
        def jaw_meets_nose(angle):
            return "jaw" in " ".join(m for m in self.rig(jaw=self.changed(jaw_angle=angle)).at_rest() if "nose" in m)
        self.assertFalse(jaw_meets_nose("atan(jaw_rest / 19.75) - 0.2"))
        self.assertTrue(jaw_meets_nose("atan(jaw_rest / 19.75) + 1.5"))

    def test_a_jaw_that_opens_too_far_meets_the_next_card(self):
        rig = self.rig(jaw=self.changed(jaw_angle="-9"))
        self.assertRegex(" ".join(rig.z_ways(rig.stations(False), 2.0)), "jaw meets|meets jaw")

    def test_a_part_too_high_collides_along_x(self):
        self.assertIn("comb_fork meets nest", " ".join(self.rig(nest=self.changed(comb_top="76")).x_way()))

    def test_a_collision_of_two_thin_parts_is_found(self):
        # The teeth of a comb 2 mm too far back hit a leg of the fork.
        found = " ".join(self.rig(half_magazine=self.changed(comb_y="39")).x_way())
        self.assertIn("comb_fork meets half_magazine", found)

    def test_rails_too_close_collide_with_the_nose(self):
        rig = self.rig(slot_guide=self.changed(rail_inside="8.5"))
        self.assertIn("nose meets slot_guide", " ".join(rig.z_ways(rig.stations(False), 2.0)))

    def test_a_card_that_does_not_fit_its_slot_collides(self):
        rig = self.rig(half_magazine=self.changed(slot_play="-0.2"))
        self.assertRegex(" ".join(rig.at_rest()), "card meets half_magazine|half_magazine meets card")

    def test_a_nose_too_wide_for_the_pocket_collides_with_the_neighbour_card(self):
        rig = self.rig(nose=self.changed(duct="4"))
        self.assertIn("nose meets card", " ".join(rig.z_ways(rig.stations(False), 2.0)))

    def test_a_missing_stop_is_reported(self):
        found = self.rig(carriage=self.changed(z_stop_x="[-40, -30]")).slide_on_carriage(5.0)
        self.assertIn("no upper stop of Z", found)
        self.assertIn("no lower stop of Z", found)


class Documents(Parts):
    GUIDE = ROOT / "docs" / "guide" / "build-a-rig.md"

    def test_the_guide_lists_every_part_and_panel(self):
        text = self.GUIDE.read_text()
        for number, part in enumerate(self.parts.printed(), 1):
            self.assertRegex(text, rf"(?m)^\| {number} \| `{part.name}` \| {part.count} \|")
        for sheet in self.parts.sheets:
            self.assertRegex(text, rf"(?m)^\| {re.escape(sheet['sheet'])} \| {sheet['width']} x {sheet['height']} \| {sheet['count']} \|")

    def test_the_guide_shows_every_picture_and_they_show_these_parts(self):
        images = ROOT / "docs" / "images"
        shown = set(re.findall(r"images/(mechanics-\w+\.png)", self.GUIDE.read_text()))
        self.assertEqual(shown, {path.name for path in images.glob("mechanics-*.png")})
        self.assertEqual((images / "mechanics.sources").read_text().strip(), self.parts.drawn_by(),
                         "the pictures show other parts: run './run hw mechanics --pictures'")


if __name__ == "__main__":
    reason = without()
    if reason:
        print("SKIPPED:", reason)
        sys.exit(0)
    unittest.main(verbosity=1)
