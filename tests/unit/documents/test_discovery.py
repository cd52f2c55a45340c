from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from saidonce.documents import discovery
from saidonce.documents.discovery import Discovered, check_paths, ending, find_sources, nearest, removed, resolved
from saidonce.errors import NotFoundError, Refusal, SourceRefusedError, UsageError


def is_supported(name: str) -> bool:
    return name.endswith(".md")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "handbook"
    (root / "deep").mkdir(parents=True)
    (root / ".git").mkdir()
    for name in ("b.md", "a.md", "deep/c.md", "picture.xyz", ".hidden.md", ".git/d.md"):
        (root / name).write_text(f"content of {name}", encoding="utf-8")
    return root.resolve()


def clear_away(deep: Path, top: Path) -> None:
    """Remove folders that pytest, which removes them by recursion, could not."""
    for folder in (deep, *deep.parents):
        if folder == top:
            return
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()


class TestFinding:
    def test_no_depth_and_no_link_ends_the_search(self, folder: Path) -> None:
        deep = folder.joinpath(*["d"] * 1_200)
        for one in [*reversed(deep.parents), deep]:
            one.mkdir(exist_ok=True)
        (deep / "bottom.md").write_text("deep")
        (folder / "self.md").symlink_to("self.md")
        (folder / "gone.md").symlink_to("nowhere.md")
        (folder / "again").symlink_to(folder)
        found = find_sources([folder], is_supported, 1_000)
        names = [s.name.removeprefix(f"{folder}/") for s in found.sources if s.name not in found.broken]
        assert [name for name in names if not name.startswith("d/")] == ["a.md", "b.md", "deep/c.md"]
        assert names[2] == f"{'d/' * 1_200}bottom.md"
        clear_away(deep, folder)

    def test_gives_supported_files_sorted_by_their_absolute_path(self, folder: Path) -> None:
        found = find_sources([folder], is_supported, 1_000)
        assert [s.name for s in found.sources] == [f"{folder}/{n}" for n in ("a.md", "b.md", "deep/c.md")]
        assert found.passed_over == (f"{folder}/picture.xyz",)
        assert found.sources[0].read() == b"content of a.md"

    def test_a_folder_that_cannot_be_listed_is_named_and_its_documents_are_not_gone(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        listing = os.scandir

        def scandir(path: Path) -> object:
            if Path(path).name == "deep":
                raise PermissionError(13, "Permission denied")
            return listing(path)

        monkeypatch.setattr(os, "scandir", scandir)
        found = find_sources([folder], is_supported, 1_000, "book")
        assert found.unreadable == ("book/deep",)
        stored = ["book/a.md", "book/deep/c.md", "book/deeper.md"]
        assert removed(found, stored) == ["book/deeper.md"]

    def test_a_folder_without_any_file_is_empty(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "unmounted").mkdir()
        (tmp_path / "pictures").mkdir()
        (tmp_path / "pictures" / "a.xyz").write_text("a picture")
        paths = [folder, tmp_path / "unmounted", tmp_path / "pictures", folder / "a.md"]
        assert find_sources(paths, is_supported, 1_000).empty == ((tmp_path / "unmounted").resolve().as_posix(),)

    def test_a_name_stands_for_the_folder(self, folder: Path) -> None:
        found = find_sources([folder], is_supported, 1_000, name_as="book/")
        assert [s.name for s in found.sources] == ["book/a.md", "book/b.md", "book/deep/c.md"]
        assert [s.name for s in find_sources([folder / "a.md"], is_supported, 1_000, "rules").sources] == ["rules"]

    def test_one_name_does_not_stand_for_several_paths(self, folder: Path) -> None:
        with pytest.raises(UsageError, match="is for one path, not for 2"):
            find_sources([folder, folder], is_supported, 1_000, "book")

    def test_a_file_given_by_name_is_a_source_whatever_it_is(self, folder: Path) -> None:
        (source,) = find_sources([folder / "picture.xyz"], is_supported, 1_000).sources
        assert source.name.endswith("picture.xyz")

    def test_a_file_found_twice_is_one_source(self, folder: Path) -> None:
        assert len(find_sources([folder, folder / "a.md"], is_supported, 1_000).sources) == 3

    def test_what_does_not_exist_is_an_error(self, folder: Path) -> None:
        with pytest.raises(NotFoundError, match="no file or folder"):
            find_sources([folder / "none"], is_supported, 1_000)

    def test_links_out_of_the_folder_are_not_followed(self, folder: Path, tmp_path: Path) -> None:
        outside = tmp_path / "secret.md"
        outside.write_text("secret", encoding="utf-8")
        (folder / "link.md").symlink_to(outside)
        (folder / "inside.md").symlink_to(folder / "a.md")
        names = [Path(s.name).name for s in find_sources([folder], is_supported, 1_000).sources]
        assert names == ["a.md", "b.md", "c.md", "inside.md"]

    def test_a_name_that_is_no_text_is_shown_with_escapes(self, folder: Path) -> None:
        try:
            Path(os.fsdecode(bytes(folder) + b"/\xff.md")).write_text("x", encoding="utf-8")
        except OSError:
            pytest.skip("this file system takes text only")
        assert f"{folder}/\\xff.md" in [s.name for s in find_sources([folder], is_supported, 1_000).sources]

    def test_a_large_file_is_refused_when_it_is_read(self, folder: Path) -> None:
        (source,) = find_sources([folder / "a.md"], is_supported, 3).sources
        with pytest.raises(SourceRefusedError, match="max_source_mb") as caught:
            source.read()
        assert caught.value.reason is Refusal.TOO_LARGE


def reasons(found: Discovered, folder: Path) -> dict[str, str]:
    """Why each of the sources that cannot be read is refused, by its name in the folder."""
    refusals: dict[str, str] = {}
    for source in found.sources:
        try:
            source.read()
        except SourceRefusedError as refused:
            refusals[source.name.removeprefix(f"{folder}/")] = f"{refused.reason}: {refused.detail}"
    return {name: why.removeprefix("unreadable: ") for name, why in refusals.items()}


class TestWhatCannotBeRead:
    def test_a_link_that_leads_nowhere_is_refused_by_name_with_its_target(self, folder: Path) -> None:
        (folder / "gone.md").symlink_to("nowhere.md")
        (folder / "data").symlink_to("/not/mounted")
        (folder / "self.md").symlink_to("self.md")
        found = find_sources([folder], is_supported, 1_000)
        assert found.broken == (f"{folder}/data", f"{folder}/gone.md", f"{folder}/self.md")
        assert reasons(found, folder) == {
            "data": "a link to '/not/mounted' that cannot be followed: No such file or directory",
            "gone.md": "a link to 'nowhere.md' that cannot be followed: No such file or directory",
            "self.md": "a link to 'self.md' that cannot be followed: Too many levels of symbolic links",
        }

    def test_a_link_that_the_system_cannot_read_is_refused_and_the_rest_goes_on(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (folder / "exe").symlink_to("a.md")
        reading, looking = os.readlink, os.stat

        def is_magic(path: object) -> bool:
            return isinstance(path, str | os.PathLike) and os.fspath(path).endswith("/exe")

        def vanished(path: object) -> FileNotFoundError:
            return FileNotFoundError(2, "No such file or directory", str(path))

        def readlink(path: str, **options: int) -> str:
            if is_magic(path):
                raise vanished(path)
            return reading(path, **options)

        def stat(path: str, **options: bool) -> os.stat_result:
            if is_magic(path) and options.get("follow_symlinks", True):
                raise vanished(path)
            return looking(path, **options)

        monkeypatch.setattr(os, "readlink", readlink)
        monkeypatch.setattr(os, "stat", stat)
        found = find_sources([folder], is_supported, 1_000)
        assert reasons(found, folder) == {"exe": "a link that cannot be followed: No such file or directory"}
        assert [Path(s.name).name for s in found.sources] == ["a.md", "b.md", "c.md", "exe"]

    def test_a_file_that_vanishes_while_the_folder_is_walked_is_refused(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        looking = os.stat

        def stat(path: str, **options: bool) -> os.stat_result:
            if os.fspath(path).endswith("/b.md"):
                raise FileNotFoundError(2, "No such file or directory", path)
            return looking(path, **options)

        monkeypatch.setattr(os, "stat", stat)
        found = find_sources([folder], is_supported, 1_000)
        assert reasons(found, folder) == {"b.md": "No such file or directory"}

    def test_sockets_and_pipes_are_skipped(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(folder)
        os.mkfifo("pipe.md")
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("socket.md")
            found = find_sources([folder], is_supported, 1_000)
        assert [Path(s.name).name for s in found.sources] == ["a.md", "b.md", "c.md"]
        assert found.broken == ()

    def test_a_file_that_became_a_pipe_is_refused_and_not_waited_for(self, folder: Path) -> None:
        found = find_sources([folder / "a.md"], is_supported, 1_000)
        (folder / "a.md").unlink()
        os.mkfifo(folder / "a.md")
        assert reasons(found, folder) == {"a.md": "it is no regular file"}

    def test_a_file_that_is_longer_than_its_size_says_is_refused(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (source,) = find_sources([folder / "a.md"], is_supported, 3).sources
        looking = Path.stat

        def stat(path: Path, **options: bool) -> os.stat_result:
            return os.stat_result((*looking(path, **options)[:6], 0, *looking(path, **options)[7:10]))

        monkeypatch.setattr(Path, "stat", stat)
        with pytest.raises(SourceRefusedError, match="setting max_source_mb") as caught:
            source.read()
        assert caught.value.reason is Refusal.TOO_LARGE

    def test_file_systems_of_the_kernel_are_not_walked_below_a_folder(
        self, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (folder / "my proc").mkdir()
        (folder / "my proc" / "status.md").write_text("Name: bash")
        mounts = tmp_path / "mounts"
        mounts.write_text(
            f"/dev/sda1 {folder}/deep ext4 rw 0 0\nproc {folder}/my\\040proc proc rw 0 0\n", encoding="utf-8"
        )
        monkeypatch.setattr(discovery, "MOUNTS", mounts)
        found = find_sources([folder], is_supported, 1_000)
        assert [Path(s.name).name for s in found.sources] == ["a.md", "b.md", "c.md"]
        assert found.of_the_kernel == (f"{folder}/my proc",)

    def test_a_folder_on_a_file_system_of_the_kernel_is_refused(
        self, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        mounts = tmp_path / "mounts"
        mounts.write_text(f"proc {folder} proc rw 0 0\ntmpfs {folder}/deep tmpfs rw 0 0\n", encoding="utf-8")
        monkeypatch.setattr(discovery, "MOUNTS", mounts)
        (folder / "one").mkdir()
        for asked_for in (folder, folder / "one"):
            with pytest.raises(UsageError, match="is on a file system of the kernel, which holds no documents"):
                check_paths([asked_for])
        on_another = find_sources([folder / "deep", folder / "a.md"], is_supported, 1_000)
        assert [Path(s.name).name for s in on_another.sources] == ["a.md", "c.md"]

    def test_a_folder_with_nothing_but_broken_links_is_empty(self, tmp_path: Path) -> None:
        root = tmp_path.resolve() / "unmounted"
        root.mkdir()
        (root / "a.md").symlink_to("/not/mounted/a.md")
        assert find_sources([root], is_supported, 1_000).empty == (root.as_posix(),)

    def test_what_cannot_be_looked_at_is_not_gone(self, folder: Path) -> None:
        (folder / "gone.md").symlink_to("/not/mounted/gone.md")
        found = find_sources([folder], is_supported, 1_000)
        assert removed(found, [f"{folder}/gone.md", f"{folder}/old.md"]) == [f"{folder}/old.md"]

    def test_a_path_that_may_not_be_looked_at_is_named_with_the_reason(self, folder: Path) -> None:
        (folder / "self.md").symlink_to("self.md")
        with pytest.raises(UsageError, match=r"self\.md' cannot be read: Too many levels of symbolic links"):
            check_paths([folder / "self.md"])


class TestGone:
    def test_names_under_the_roots_that_were_not_found(self, folder: Path) -> None:
        found = find_sources([folder], is_supported, 1_000)
        stored = [f"{folder}/a.md", f"{folder}/old.md", f"{folder}/deep/older.md", "/elsewhere/x.md"]
        assert removed(found, stored) == [f"{folder}/deep/older.md", f"{folder}/old.md"]

    def test_a_root_is_no_prefix_of_its_neighbours_name(self) -> None:
        assert removed(Discovered((), (), ("/a/book",)), ["/a/bookshelf/x.md", "/a/book/x.md"]) == ["/a/book/x.md"]


class TestNamesAsTheyAreShown:
    KNOWN = ("/home/ann/handbook/old.pdf", "/home/ann/handbook/new.pdf", "handbook/travel.md", "/srv/old.pdf")

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ("/home/ann/handbook/old.pdf", "/home/ann/handbook/old.pdf"),
            ("handbook/old.pdf", "/home/ann/handbook/old.pdf"),
            ("./handbook/../handbook/old.pdf", "/home/ann/handbook/old.pdf"),
            ("handbook/travel.md", "handbook/travel.md"),
            ("old.pdf", ""),
            ("handbook", ""),
        ],
    )
    def test_a_name_means_itself_or_what_lies_there(self, given: str, expected: str) -> None:
        assert resolved(given, self.KNOWN, Path("/home/ann")) == expected

    def test_the_end_of_a_name_may_be_several(self) -> None:
        assert ending("old.pdf", self.KNOWN) == ["/home/ann/handbook/old.pdf", "/srv/old.pdf"]
        assert ending("ld.pdf", self.KNOWN) == []

    def test_the_nearest_names_come_first(self) -> None:
        assert nearest("travl.md", self.KNOWN) == ["handbook/travel.md"]
        assert nearest("zebra", self.KNOWN) == []
