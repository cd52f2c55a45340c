"""The compiled comparison of saidonce: where its library lies."""

from pathlib import Path

__all__ = ["library"]

_NAMES = ("tile.so", "tile.dylib", "tile.dll", "tile.pyd")


def library() -> Path:
    """Return the path of the library beside this file.

    Raises:
        FileNotFoundError: there is none; the package was copied without being built.
    """
    folder = Path(__file__).parent
    for name in _NAMES:
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(f"{folder} holds none of {', '.join(_NAMES)}")
