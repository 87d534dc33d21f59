# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests corpus.py on a corpus in a temporary folder, and reads the archives of the real one."""
import pathlib
import tempfile
import unittest

import corpus


class CorpusTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.corpus = pathlib.Path(folder.name) / "corpus"
        self.corpus.mkdir()
        self.out = pathlib.Path(folder.name) / "out"

    def file(self, name, data):
        path = self.corpus.parent / name
        path.write_bytes(data)
        return path

    def unpacked(self):
        corpus.unpack(self.corpus, self.out)
        return {str(path.relative_to(self.out)): path.read_bytes() for path in self.out.rglob("*") if path.is_file()}

    def test_an_added_seed_is_named_by_its_contents(self):
        self.assertEqual(corpus.add(self.corpus, "fat", [self.file("crash-1", b"abc")]), 1)
        self.assertEqual(self.unpacked(), {"fat/a9993e364706816aba3e25717850c26c9cd0d89d": b"abc"})

    def test_equal_seeds_are_kept_once(self):
        files = [self.file("a", b"same"), self.file("b", b"same")]
        self.assertEqual([corpus.add(self.corpus, "fat", files), corpus.add(self.corpus, "fat", files)], [1, 0])

    def test_added_seeds_keep_the_earlier_ones(self):
        corpus.add(self.corpus, "fat", [self.file("a", b"1")])
        corpus.add(self.corpus, "fat", [self.file("b", b"2")])
        self.assertEqual(sorted(self.unpacked().values()), [b"1", b"2"])

    def test_an_archive_does_not_depend_on_the_order_of_its_seeds(self):
        files = [self.file(str(number), bytes([number]) * 100) for number in range(9)]
        corpus.add(self.corpus, "one", files)
        corpus.add(self.corpus, "two", files[5:])
        corpus.add(self.corpus, "two", files[4::-1])
        self.assertEqual((self.corpus / "one.tar.xz").read_bytes(), (self.corpus / "two.tar.xz").read_bytes())

    def test_files_of_a_target_are_seeds_as_well(self):
        (self.corpus / "fat").mkdir()
        (self.corpus / "fat/half.json").write_bytes(b"{")
        corpus.add(self.corpus, "fat", [self.file("a", b"abc")])
        self.assertEqual(self.unpacked()["fat/half.json"], b"{")
        self.assertEqual(len(self.unpacked()), 2)

    def test_unpacking_removes_seeds_that_the_corpus_no_longer_has(self):
        self.out.mkdir()
        (self.out / "old").write_bytes(b"")
        self.assertEqual(self.unpacked(), {})

    def test_every_archive_belongs_to_a_fuzz_target_and_is_written_by_this_program(self):
        archives = list(corpus.CORPUS.glob("*.tar.xz"))
        self.assertTrue(archives)
        for archive in archives:
            self.assertTrue((corpus.HERE / (archive.name.removesuffix(".tar.xz") + "_fuzz.cpp")).exists(), archive)
            for name, data in corpus.read_archive(archive).items():
                self.assertEqual(name, corpus.hashlib.sha1(data).hexdigest(), archive)


if __name__ == "__main__":
    unittest.main()
