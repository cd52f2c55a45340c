"""Measure recognition of words in pictures and speech, and the search for pages by them.

`python -m benchmarks.recognition [PAGES]` renders PAGES pages (100) in ten fonts at 150 dpi and as many tenths of them
distorted as a telephone would, has two voices of espeak-ng read sentences aloud, clean and in noise, and compares what
is recognised with what was written. Pages are then ingested twice, as pictures and as typed text, and searched.
With `--voices pico` the sentences are read by SVOX Pico, whose voices are made of recordings of people, at two pitches
(`pip install --no-deps py-nanotts`).
All texts are made up; the same numbers give the same pages.
"""

from __future__ import annotations

import argparse
import io
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import wave
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from rapidfuzz.distance import Levenshtein

from saidonce import KnowledgeBase
from saidonce.documents.parse import Limits, Sandbox
from saidonce.documents.parse.recognisers import PICTURES, SPEECH, unavailable
from saidonce.errors import SourceRefusedError
from saidonce.foundation.model import Filters

DPI = 150
A4 = (int(8.27 * DPI), int(11.69 * DPI))
MARGIN = DPI
SIZE = round(11 / 72 * DPI)
LINES = 34
SEED = 20261122
RATE = 16_000

FONTS = (
    "DejaVuSans.ttf", "DejaVuSerif.ttf", "DejaVuSansMono.ttf", "LiberationSans-Regular.ttf",
    "LiberationSerif-Regular.ttf", "LiberationMono-Regular.ttf", "FreeSans.ttf", "FreeSerif.ttf",
    "LiberationSans-Bold.ttf", "LiberationSerif-Italic.ttf",
)  # fmt: skip
FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".fonts")

PARTS = ("pictures", "speech", "search", "speech_search")

SUBJECTS = (
    "lift", "boiler", "roof", "laundry room", "bicycle store", "garden gate", "car park", "entrance door", "water tank",
    "stairwell", "rubbish store", "meeting room", "fire alarm", "door phone", "heating pump", "gutter", "playground",
    "loading bay", "generator", "chimney",
)  # fmt: skip
PEOPLE = ("caretaker", "plumber", "electrician", "cleaner", "surveyor", "gardener", "locksmith", "painter", "roofer")
ACTS = ("inspects", "cleans", "repairs", "replaces", "tests", "photographs", "measures", "locks", "paints", "empties")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
WHYS = (
    "because the insurer asks for it", "so that nobody is hurt", "as the tenants agreed in spring",
    "unless the weather forbids it", "after the neighbours have been told", "before the season begins",
)  # fmt: skip

SPOKEN = {
    "en": (
        ("en-gb", "en-us+f3"),
        (
            "The caretaker cleans the stairwell every Tuesday morning.",
            "Please keep the entrance door closed during the night.",
            "The water will be switched off on Friday between nine and twelve.",
            "Bring your own bags when you visit the recycling centre.",
            "The lift is out of order until the spare parts arrive.",
        ),
    ),
    "de": (
        ("de", "de+f3"),
        (
            "Der Hausmeister reinigt das Treppenhaus jeden Dienstag.",
            "Bitte halten Sie die Haustür in der Nacht geschlossen.",
            "Das Wasser wird am Freitag zwischen neun und zwölf Uhr abgestellt.",
            "Der Aufzug ist außer Betrieb, bis die Ersatzteile kommen.",
        ),
    ),
    "es": (
        ("es", "es+f3"),
        (
            "El portero limpia la escalera todos los martes.",
            "Por favor, cierren la puerta de entrada por la noche.",
            "El ascensor no funciona hasta que lleguen las piezas.",
        ),
    ),
}

PICO = "pico:"
VOICES = {
    "espeak": {language: voices for language, (voices, _) in SPOKEN.items()},
    "pico": {
        "en": (f"{PICO}en-GB 1.0", f"{PICO}en-US 0.8"),
        "de": (f"{PICO}de-DE 1.0", f"{PICO}de-DE 0.8"),
        "es": (f"{PICO}es-ES 1.0", f"{PICO}es-ES 0.8"),
    },
}
"""Two voices a language, by program; those of Pico with their pitch."""


NOTICES = {
    "en": (
        ("The lift", "The boiler", "The garden gate", "The laundry room", "The playground", "The car park"),
        ("inspected", "cleaned", "painted", "repaired", "closed"),
        DAYS,
        "{0} is {1} on {2} morning, and tenants are asked to stay away.",
        "on which morning is it that {0} will be {1}? {2}",
    ),
    "de": (
        ("Der Aufzug", "Der Heizkessel", "Das Gartentor", "Der Waschraum", "Der Spielplatz", "Der Parkplatz"),
        ("geprüft", "gereinigt", "gestrichen", "repariert", "geschlossen"),
        ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"),
        "{0} wird am {2} Vormittag {1}, und die Mieter werden um Geduld gebeten.",
        "am {2} Vormittag {1}: {0}",
    ),
}
"""Things, acts, days, the form of a notice and that of its question, by language."""


@dataclass(frozen=True)
class Page:
    """A made-up page.

    Attributes:
        question: in another word order than the page.
    """

    name: str
    text: str
    question: str
    font: str


def font_files() -> list[Path]:
    """Return the listed fonts that this machine has."""
    present = {file.name: file for folder in FOLDERS if folder.is_dir() for file in sorted(folder.rglob("*.ttf"))}
    return [present[name] for name in FONTS if name in present]


def made_up_pages(n: int, fonts: Sequence[Path]) -> list[Page]:
    """Return pages, each about its own subject and person."""
    draw = random.Random(SEED)
    pages = []
    for number in range(n):
        subject, person = SUBJECTS[number % len(SUBJECTS)], PEOPLE[(number // len(SUBJECTS)) % len(PEOPLE)]
        act, day = draw.choice(ACTS), draw.choice(DAYS)
        first = f"The {person} {act} the {subject} of house {number + 10} every {day}, {draw.choice(WHYS)}."
        rest = [_sentence(draw) for _ in range(14)]
        rest.insert(draw.randrange(len(rest)), first)
        question = f"who {act} the {subject} of house {number + 10} on {day}"
        pages.append(Page(f"page{number:03}", " ".join(rest), question, fonts[number % len(fonts)].name))
    return pages


def _sentence(draw: random.Random) -> str:
    return (
        f"On {draw.randrange(1, 29)} {draw.choice(('March', 'June', 'October'))} the {draw.choice(PEOPLE)}"
        f" {draw.choice(ACTS)} the {draw.choice(SUBJECTS)} for {draw.randrange(20, 900)}.{draw.randrange(10, 99)}"
        f" pounds, {draw.choice(WHYS)}."
    )


def rendered(page: Page, fonts: Sequence[Path]) -> tuple[Image.Image, str]:
    """Return a page as a picture, and the lines on it as text."""
    font = ImageFont.truetype(next(f for f in fonts if f.name == page.font), SIZE)
    picture = Image.new("L", A4, 255)
    pen = ImageDraw.Draw(picture)
    lines: list[str] = []
    for word in page.text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and pen.textlength(longer, font=font) <= A4[0] - 2 * MARGIN:
            lines[-1] = longer
        else:
            lines.append(word)
    for at, line in enumerate(lines[:LINES]):
        pen.text((MARGIN, MARGIN + at * SIZE * 1.45), line, fill=20, font=font)
    return picture, "\n".join(lines[:LINES])


def distorted(picture: Image.Image, draw: random.Random) -> Image.Image:
    """Return a page as photographed: skewed, unevenly lit, slightly blurred and noisy."""
    width, height = picture.size
    corners = [(0, 0), (0, height), (width, height), (width, 0)]
    quad = tuple(
        v for x, y in corners for v in (x + draw.uniform(-0.02, 0.02) * width, y + draw.uniform(-0.02, 0.02) * height)
    )
    askew = picture.rotate(draw.uniform(-2.5, 2.5), Image.Resampling.BICUBIC, fillcolor=255)
    askew = askew.transform(picture.size, Image.Transform.QUAD, quad, Image.Resampling.BICUBIC, fillcolor=255)
    pixels = np.asarray(askew.filter(ImageFilter.GaussianBlur(0.7)), np.float64)
    light = (
        np.linspace(draw.uniform(0.6, 0.9), 1.0, width)[None, :]
        * np.linspace(1.0, draw.uniform(0.7, 1), height)[:, None]
    )
    noise = np.random.default_rng(draw.randrange(2**31)).normal(0, 6, pixels.shape)
    return Image.fromarray(np.clip(pixels * light + noise, 0, 255).astype(np.uint8))


def file_of(picture: Image.Image, quality: int = 0) -> bytes:
    """Return a picture as PNG, or as JPEG of a quality."""
    out = io.BytesIO()
    picture.save(out, "JPEG" if quality else "PNG", **({"quality": quality} if quality else {}))
    return out.getvalue()


def agreement(read: str, written: str) -> float:
    """Return the share of characters that agree, by edit distance; runs of space count as one."""
    a, b = (" ".join(text.split()) for text in (read, written))
    return max(0.0, 1.0 - Levenshtein.distance(a, b) / max(1, len(b)))


def words_wrong(heard: str, spoken_text: str) -> tuple[int, int]:
    """Return the number of wrong words by edit distance, and of all spoken words."""
    a, b = (re.findall(r"\w+", text.casefold()) for text in (heard, spoken_text))
    return Levenshtein.distance(a, b), len(b)


def read_all(sandbox: Sandbox, files: Sequence[tuple[str, bytes]]) -> list[str]:
    """Return the text recognised in files; empty for a refused one."""
    texts = []
    for _, result in sandbox.map(files):
        texts.append("" if isinstance(result, SourceRefusedError) else "\n".join(e.text for e in result.elements))
    return texts


def spoken(text: str, voice: str) -> NDArray[np.float64]:
    """Return a sentence read aloud, at 16,000 samples a second, -1..1."""
    if voice.startswith(PICO):
        tongue, pitch = voice.removeprefix(PICO).split()
        sound = import_module("py_nanotts").NanoTTS().speak(text, voice=tongue, pitch=float(pitch))
        return np.frombuffer(sound, "<i2").astype(np.float64) / 32768
    program = shutil.which("espeak-ng")
    assert program is not None
    run = subprocess.run([program, "-v", voice, "-s", "140", "--stdout", text], capture_output=True, check=True)
    with wave.open(io.BytesIO(run.stdout)) as sound:
        rate = sound.getframerate()
        samples = np.frombuffer(run.stdout[44:], "<i2").astype(np.float64) / 32768
    at = np.arange(0, len(samples) / rate, 1 / RATE)
    return np.interp(at, np.arange(len(samples)) / rate, samples)


def no_voice(program: str) -> str:
    """Return why a program cannot read aloud here; empty if it can."""
    if program == "pico":
        return "" if find_spec("py_nanotts") else "py-nanotts is not installed"
    return "" if shutil.which("espeak-ng") else "espeak-ng is not installed"


def sound_file(samples: NDArray[np.float64]) -> bytes:
    """Return samples as a WAV file, with half a second of silence around them."""
    quiet = np.zeros(RATE // 2)
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(RATE)
        whole = np.concatenate([quiet, samples, quiet])
        sound.writeframes((np.clip(whole, -1, 1) * 32767).astype("<i2").tobytes())
    return out.getvalue()


def ndcg(base: KnowledgeBase, pages: Sequence[Page], collection: str) -> float:
    """Return the mean nDCG@10 of the pages' questions; one page is relevant to each."""
    gains = []
    for page in pages:
        hits = base.search(page.question, Filters((collection,)), 10).hits
        ranks = [rank for rank, hit in enumerate(hits, 1) if Path(hit.block.document).stem == page.name]
        gains.append(1 / np.log2(1 + min(ranks)) if ranks else 0.0)
    return float(np.mean(gains))


def pictures(sandbox: Sandbox, pages: Sequence[Page], fonts: Sequence[Path]) -> None:
    """Print the accuracy on rendered and distorted pages."""
    sheets = [rendered(page, fonts) for page in pages]
    read = read_all(
        sandbox, [(f"{p.name}.png", file_of(picture)) for p, (picture, _) in zip(pages, sheets, strict=True)]
    )
    shares = [agreement(text, written) for text, (_, written) in zip(read, sheets, strict=True)]
    print(
        f"rendered pages: {len(pages)}, fonts: {len({p.font for p in pages})}, characters read: {np.mean(shares):.4f}"
    )
    by_font: dict[str, list[float]] = {}
    for page, share in zip(pages, shares, strict=True):
        by_font.setdefault(page.font, []).append(share)
    for font, of in sorted(by_font.items()):
        print(f"  {font}: {np.mean(of):.4f}")
    draw = random.Random(SEED)
    chosen = sheets[: max(1, round(len(sheets) * 0.3))]
    askew = [(f"p{n}.jpg", file_of(distorted(picture, draw), 60)) for n, (picture, _) in enumerate(chosen)]
    shares = [agreement(t, written) for t, (_, written) in zip(read_all(sandbox, askew), chosen, strict=True)]
    print(f"distorted pages: {len(chosen)}, characters read: {np.mean(shares):.4f}, worst: {min(shares):.4f}")


def speech(sandbox: Sandbox, n_sentences: int, program: str) -> None:
    """Print the word error rate by language, clean and in noise, and how often the language was not certain."""
    noise = np.random.default_rng(SEED)
    for language, (_, sentences) in SPOKEN.items():
        voices = VOICES[program][language]
        for name, level in (("clean", 0.0), ("noise 15 dB", 10 ** (-15 / 20))):
            cases = [(sentence, voice) for sentence in sentences[:n_sentences] for voice in voices]
            files = []
            for number, (sentence, voice) in enumerate(cases):
                sound = spoken(sentence, voice)
                sound = sound + noise.normal(0, level * float(np.sqrt((sound**2).mean())), len(sound))
                files.append((f"{number}.wav", sound_file(sound * 0.8)))
            heard = [result for _, result in sandbox.map(files)]
            texts = ["" if isinstance(h, SourceRefusedError) else "\n".join(e.text for e in h.elements) for h in heard]
            pairs = [words_wrong(text, said) for text, (said, _) in zip(texts, cases, strict=True)]
            wrong, all_ = (sum(of) for of in zip(*pairs, strict=True))
            n_unsure = sum(not isinstance(h, SourceRefusedError) and bool(h.warnings) for h in heard)
            rate = f"word error rate {wrong / all_:.3f}, language not certain in {n_unsure}"
            print(f"speech {language}, {name}: {len(cases)} sentences, {rate}")


def page_search(pages: Sequence[Page], fonts: Sequence[Path]) -> None:
    """Print the search quality over pages, as pictures and as typed text."""
    with tempfile.TemporaryDirectory() as folder, KnowledgeBase(data_dir=Path(folder, "base")) as base:
        for kind in ("typed", "pictures"):
            Path(folder, kind).mkdir()
            for page in pages:
                picture, written = rendered(page, fonts)
                if kind == "typed":
                    Path(folder, kind, f"{page.name}.txt").write_text(written, "utf-8")
                else:
                    Path(folder, kind, f"{page.name}.png").write_bytes(file_of(picture))
            base.ingest([Path(folder, kind)], kind)
        typed, seen = (ndcg(base, pages, kind) for kind in ("typed", "pictures"))
    print(f"nDCG@10 of {len(pages)} questions: typed {typed:.3f}, pictures {seen:.3f}, difference {seen - typed:+.3f}")


def made_up_notices(language: str, n: int) -> list[Page]:
    """Return notices of one sentence, each of another thing and day, and a question in another word order."""
    things, acts, days, form, question = NOTICES[language]
    places = [(thing, act, day) for day in days for act in acts for thing in things]
    random.Random(SEED).shuffle(places)
    return [
        Page(f"notice{number}", form.format(*place), question.format(*place), "")
        for number, place in enumerate(places[:n])
    ]


def speech_search(n: int, program: str) -> None:
    """Print the search quality over notices of each language, read aloud and as typed text."""
    for language in NOTICES:
        notices = made_up_notices(language, n)
        voices = VOICES[program][language]
        with (
            tempfile.TemporaryDirectory() as folder,
            KnowledgeBase(data_dir=Path(folder, "base"), speech_languages=(language,)) as base,
        ):
            for kind in ("typed", "spoken"):
                Path(folder, kind).mkdir()
                for number, notice in enumerate(notices):
                    if kind == "typed":
                        Path(folder, kind, f"{notice.name}.txt").write_text(notice.text, "utf-8")
                    else:
                        sound = sound_file(spoken(notice.text, voices[number % len(voices)]) * 0.8)
                        Path(folder, kind, f"{notice.name}.wav").write_bytes(sound)
                base.ingest([Path(folder, kind)], kind)
            typed, heard = (ndcg(base, notices, kind) for kind in ("typed", "spoken"))
        result = f"typed {typed:.3f}, spoken {heard:.3f}, difference {heard - typed:+.3f}"
        print(f"speech {language}: nDCG@10 of {len(notices)} questions: {result}", flush=True)


def main() -> int:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("pages", nargs="?", type=int, default=100, help="rendered pages (default 100)")
    parser.add_argument("--sentences", type=int, default=5, help="sentences of each language and voice (default 5)")
    parser.add_argument("--notices", type=int, default=30, help="notices of each language read aloud (default 30)")
    parser.add_argument("--only", choices=PARTS, help="one of the parts")
    parser.add_argument("--voices", choices=tuple(VOICES), default="espeak", help="the program that reads aloud")
    options = parser.parse_args()
    fonts = font_files()
    pages = made_up_pages(options.pages, fonts) if fonts else []
    with Sandbox(Limits(), n_workers=1) as sandbox:
        missing = unavailable(PICTURES, Limits()) or ("" if fonts else "none of the fonts is installed")
        if options.only in (None, "pictures"):
            print(f"pictures are not measured: {missing}") if missing else pictures(sandbox, pages, fonts)
        quiet = unavailable(SPEECH, Limits()) or no_voice(options.voices)
        if options.only in (None, "speech"):
            print(f"speech is not measured: {quiet}") if quiet else speech(sandbox, options.sentences, options.voices)
    if options.only in (None, "speech_search"):
        print(f"search in speech is not measured: {quiet}") if quiet else speech_search(options.notices, options.voices)
    if options.only in (None, "search"):
        print(f"search is not measured: {missing}") if missing else page_search(pages, fonts)
    most = [resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(f"peak memory: {most[0]:.0f} MiB here, {most[1]:.0f} MiB in a child")
    return 0


if __name__ == "__main__":
    sys.exit(main())
