"""Programs that are started often: forks of one process that has loaded what they have in common.

Started as `python -m forked_programs`, it reads one request a line and answers with its exit code.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self


class Programs:
    """Runs modules as `python -m MODULE` does, each in a process of its own."""

    def __init__(self, root: Path) -> None:
        search = os.pathsep.join([str(root), str(root / "tests"), os.environ.get("PYTHONPATH", "")])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "forked_programs"], cwd=root, env={**os.environ, "PYTHONPATH": search.rstrip(":")},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate(timeout=60)

    def ran(
        self, module: str, words: Sequence[str], folder: Path, env: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """Run a module with arguments under an environment; what it writes lies in a folder meanwhile."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        out, err = folder / "stdout", folder / "stderr"
        asked = {"module": module, "words": list(words), "out": str(out), "err": str(err), "env": dict(env)}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        return subprocess.CompletedProcess(list(words), code, out.read_text("utf-8"), err.read_text("utf-8"))


def _become(asked: Mapping[str, Any]) -> None:
    """Be the program: what it raises ends this process as it would end one of its own."""
    for number, flags, path in ((0, os.O_RDONLY, os.devnull), (1, os.O_WRONLY | os.O_CREAT, asked["out"]),
                                (2, os.O_WRONLY | os.O_CREAT, asked["err"])):  # fmt: skip
        opened = os.open(path, flags)
        os.dup2(opened, number)
        os.close(opened)
    os.environ.clear()
    os.environ.update(asked["env"])
    sys.argv = [asked["module"], *asked["words"]]
    runpy.run_module(asked["module"], run_name="__main__", alter_sys=True)


def main() -> None:
    """Answer requests until the tests are over."""
    import saidonce.app.knowledge_base  # what all have in common, loaded once
    import saidonce.testing  # noqa: F401

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            _become(asked)
            return
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
