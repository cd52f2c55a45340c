"""An interruption is one line and exit code 130, whenever it comes; outputs are whole or absent."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import environment, invoke
from saidonce.foundation import tracing
from saidonce.foundation.files import whole_file, write_whole

STOP = "import os, signal; from saidonce import _interrupts; _interrupts.stop_at_once(); "
KILL = "os.kill(os.getpid(), signal.SIGINT)"
HEEDED = "signal.signal(signal.SIGINT, signal.default_int_handler); "


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_while_the_command_line_is_imported() -> None:
    done = run(f"import signal; {HEEDED}{STOP}{KILL}; print('went on')")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "saidonce: stopped\n")


def test_what_ignores_interruptions_goes_on() -> None:
    done = run(f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); {STOP}{KILL}; print('went on')")
    assert (done.returncode, done.stdout) == (0, "went on\n")


def test_when_a_command_runs_it_is_an_exception_again() -> None:
    done = run(
        f"import signal; {HEEDED}{STOP}_interrupts.stop_by_exception()\n"
        f"try: {KILL}\nexcept KeyboardInterrupt: print('closed')"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "closed\n", "")


def test_before_a_command_opens_anything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(tracing, "start", interrupted)
    done = invoke(("doctor",), environment(), tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "saidonce: stopped\n")


BESIDE = """
import atexit, sys, threading, time
from rapidfuzz.process import cdist
from saidonce.interfaces import cli

WORDS = [f"word{{n}}" for n in range(12)]
cdist(WORDS, WORDS)

def app():
    atexit.register(print, "exit functions ran")
    threading.Thread(target=compare, daemon=True).start()
    time.sleep(0.05)
    sys.exit({code})

def compare():
    while True:
        cdist(WORDS, WORDS)

cli.app = app
cli.main()
"""


@pytest.mark.parametrize("code", [0, 1, 143])
def test_a_thread_in_foreign_code_does_not_abort_the_end(code: int) -> None:
    done = run(BESIDE.format(code=code))
    assert (done.returncode, done.stdout, done.stderr) == (code, "exit functions ran\n", "")


def test_a_file_has_its_name_when_it_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "out.txt"
    file.write_text("before")

    def half() -> None:
        with whole_file(file) as target:
            target.write(b"half")
            target.flush()
            assert file.read_text() == "before"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half()
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("out.txt", "before")]
    write_whole(file, "after")
    assert file.read_text() == "after"


def test_a_killed_writer_leaves_the_former_file(tmp_path: Path) -> None:
    file = tmp_path / "out.txt"
    file.write_text("before")
    done = run(
        "import os, signal; from pathlib import Path; from saidonce.foundation.files import whole_file\n"
        f"with whole_file(Path({str(file)!r})) as target:\n"
        "    target.write(b'half'); target.flush(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert done.returncode == -signal.SIGKILL
    assert file.read_text() == "before"
    write_whole(file, "after")
    assert [each.name for each in tmp_path.iterdir()] == ["out.txt"]


def test_a_private_file_is_its_owners_alone_and_a_new_one_replaces_none(tmp_path: Path) -> None:
    file = tmp_path / "key"
    with whole_file(file, is_private=True, is_new=True) as target:
        target.write(b"secret")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(FileExistsError), whole_file(file, is_new=True):
        pass
    assert file.read_bytes() == b"secret"


def test_a_link_keeps_its_place_and_a_device_is_written_as_it_is(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real")
    write_whole(link, "text")
    assert link.is_symlink()
    assert (tmp_path / "real").read_text() == "text"
    write_whole(Path(os.devnull), "text")
    assert not Path(os.devnull).is_file()


def test_an_interruption_inside_compiled_text_ends_with_the_exit_code_too() -> None:
    inside = f"import os, signal; {KILL}\\nfor _ in range(10**8): pass"
    done = run(
        f"import signal; from saidonce import _interrupts; {HEEDED}\n"
        f"try: exec({inside!r})\nexcept KeyboardInterrupt: _interrupts.end(130)".replace("\\\\n", "\\n")
    )
    assert (done.returncode, done.stderr) == (130, "")
