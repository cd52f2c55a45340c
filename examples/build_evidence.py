"""Make the pictures and the recording of `examples/evidence` again: `python examples/build_evidence.py [FOLDER]`.

Needs a voice (the program espeak-ng) for the recording; the pictures need nothing but Pillow.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFilter, ImageFont

HERE = Path(__file__).resolve().parent / "evidence"

NOTICE = (
    "NOTICE TO ALL RESIDENTS",
    "",
    "The water in Heron Court will be switched off",
    "on Thursday between nine and twelve.",
    "The pump in the cellar is being replaced.",
    "",
    "Please fill a bucket the evening before.",
    "Marta Quill, caretaker",
)
LETTER = (
    "Agreement on the bicycle cellar",
    "",
    "The tenants of Heron Court share the bicycle cellar. Each flat has one",
    "stand, which is marked with the number of its door.",
    "Electric bicycles are charged in daylight only. Batteries are never left",
    "on the charger overnight.",
    "",
    "Whoever gives up a stand tells the caretaker in writing a month before.",
)
SPOKEN = (
    "Good morning. This is the meeting of the garden group. We agreed to plant three apple trees behind the house."
    " The tools stay in the green shed."
)
SUBTITLES = """WEBVTT

00:00:00.000 --> 00:00:04.000
<v Marta>Welcome to the tour of the new laundry room.

00:00:04.500 --> 00:00:09.000
<v Marta>Clean the lint filter of the dryer after every use.

00:00:09.500 --> 00:00:13.000
<v Ilya>The key hangs next to the letter boxes.
"""


def sheet(lines: Sequence[str], size: int, side: tuple[int, int], at: int) -> Image.Image:
    """Return lines on white paper."""
    paper = Image.new("L", side, 250)
    pen = ImageDraw.Draw(paper)
    for number, line in enumerate(lines):
        pen.text((at, at + int(number * size * 1.6)), line, fill=25, font=ImageFont.load_default(size=size))
    return paper


def photo(paper: Image.Image) -> Image.Image:
    """Return a sheet as a photo shows it: on a wall, askew, a little out of focus."""
    draw = random.Random(7)  # noqa: S311  grain of a wall
    wall = Image.new("L", (paper.width + 160, paper.height + 160), 150)
    wall.putdata([150 + draw.randrange(-12, 12) for _ in range(wall.width * wall.height)])
    wall.paste(paper, (80, 80))
    return wall.rotate(1.5, Image.Resampling.BICUBIC, fillcolor=150).filter(ImageFilter.GaussianBlur(0.6))


def main(folder: Path) -> int:
    """Write the folder; return 1 if there is no voice for the recording."""
    folder.mkdir(parents=True, exist_ok=True)
    photo(sheet(NOTICE, 26, (700, 480), 40)).save(folder / "notice.jpg", quality=70)
    scan = sheet(LETTER, 24, (1000, 700), 60)
    scan.convert("1", dither=Image.Dither.NONE).save(folder / "scanned-agreement.pdf", resolution=110)
    (folder / "laundry-tour.vtt").write_text(SUBTITLES, "utf-8")
    voice = shutil.which("espeak-ng")
    if voice is None:
        print("espeak-ng is not installed: the recording is not made", file=sys.stderr)
        return 1
    import av  # noqa: PLC0415  of the extra audio

    with tempfile.TemporaryDirectory() as scratch:
        wav = Path(scratch, "said.wav")
        subprocess.run([voice, "-v", "en-us", "-s", "135", "-w", str(wav), SPOKEN], check=True)  # noqa: S603  our own words
        with av.open(str(wav)) as said, av.open(str(folder / "garden-meeting.ogg"), "w") as out:
            stream = out.add_stream("libopus", rate=48_000, layout="mono")
            stream.bit_rate = 24_000
            for frame in said.decode(audio=0):
                out.mux(stream.encode(frame))
            out.mux(stream.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE))
