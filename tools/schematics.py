"""Draw the schematic drawings of the book: `python tools/schematics.py` writes them.

One at the opening of each part, and one on the first page. Each is drawn twice, for a desk and,
with the same shapes one below the other, for a telephone: ``book/_static/schematics/<name>.svg``
and ``<name>-narrow.svg``. The directive ``schematic`` shows the one that fits (see `privlib_book`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ledger import evidence
from shapes import BLUE, GREEN, ORANGE, PALE, QUIET, Drawing, Point

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "book" / "_static" / "schematics"
WIDE, NARROW = 720, 344


# --- the first page -------------------------------------------------------------------------------


def intro(width: int) -> Drawing:
    """The same noise for strangers and for a family; the numbers are those of the notebook."""
    numbers = evidence.notebook(ROOT, "notebooks/correlated/01-why-dp-is-not-enough").numbers
    groups = (
        ("ten strangers", PALE["blue"], numbers["right['strangers']:.0%"]),
        ("a family, always ill together", "#7fb8d8", numbers["right['family']:.1%"]),
    )
    d = Drawing(width, 300 if width == WIDE else 592)
    for k, (title, fill, right) in enumerate(groups):
        if width == WIDE:
            y = 150 * k
            d.secret(8, y + 8, 250, 132, title)
            step = 46
            mechanism, release, attacker = (346, y + 64), (470, y + 64), (624, y + 58)
            d.arrow((258, y + 64), (300, y + 64))
            d.text((624, y + 102), "attacker is right", colour=ORANGE)
            d.text((624, y + 123), f"{right} of the time", colour=ORANGE, bold=True)
        else:
            y = 298 * k
            d.secret(8, y + 8, 328, 132, title)
            step = 66
            mechanism, release, attacker = (58, y + 204), (172, y + 204), (288, y + 204)
            d.arrow((58, y + 140), (58, y + 170))
            words = f"attacker is right {right} of the time"
            d.text((172, y + 284), words, colour=ORANGE, bold=True)
        for i in range(10):
            at = (38 + step * (i % 5), y + 62 + 50 * (i // 5))
            d.person(at, fill=fill if i else BLUE)
        d.mechanism(mechanism)
        d.text((mechanism[0], mechanism[1] + 52), "same noise")
        d.arrow((mechanism[0] + 44, mechanism[1]), (release[0] - 32, release[1]))
        d.release(release)
        d.lines(release)
        d.text((release[0], release[1] + 54), "noisy count")
        d.arrow((release[0] + 32, release[1]), (attacker[0] - 28, release[1]), kind="seen")
        d.text(((release[0] + attacker[0]) / 2 + 2, release[1] - 10), "sees", colour=ORANGE)
        d.attacker(attacker)
    return d


# --- the five parts -------------------------------------------------------------------------------


def laplace(width: int) -> Drawing:
    """From a database through a mechanism to an answer; the attacker knows all but one record."""
    if width == WIDE:
        d = Drawing(width, 262)
        d.secret(8, 8, 222, 204, "not published")
        d.person((72, 62))
        d.text((50, 68), "you", anchor="end", colour=BLUE, bold=True)
        d.other((72, 118))
        d.other((72, 174))
        for y, end in ((62, 98), (114, 114), (166, 130)):
            d.arrow((94, y), (142, end))
        d.holder((176, 114))
        d.label((176, 174), "database")
        d.arrow((208, 114), (282, 114))
        d.text((254, 104), "count")
        d.mechanism((328, 114))
        d.label((328, 168), "mechanism", "adds noise")
        d.arrow((372, 114), (440, 114))
        d.release((472, 114))
        d.lines((472, 114))
        d.label((472, 172), "answer", "published")
        d.arrow((504, 114), (610, 114), kind="seen")
        d.text((556, 104), "sees", colour=ORANGE)
        d.attacker((642, 114))
        d.label((642, 160), "attacker")
        d.arrow((72, 200), (72, 240), (642, 240), (642, 172), kind="known")
        d.text((250, 232), "knows every record but one", anchor="start", colour=ORANGE)
        return d
    d = Drawing(width, 566)
    d.secret(8, 8, 328, 196, "not published")
    d.person((52, 62))
    d.text((52, 102), "you", colour=BLUE, bold=True)
    d.other((120, 62))
    d.other((188, 62))
    d.arrow((72, 90), (100, 130))
    d.arrow((120, 88), (120, 130))
    d.arrow((168, 90), (140, 130))
    d.holder((120, 162))
    d.label((162, 168), "database", anchor="start")
    d.arrow((120, 196), (120, 236))
    d.text((130, 224), "count", anchor="start")
    d.mechanism((120, 270))
    d.label((172, 266), "mechanism", "adds noise", anchor="start")
    d.arrow((120, 302), (120, 338))
    d.release((120, 374))
    d.lines((120, 374))
    d.label((158, 370), "answer", "published", anchor="start")
    d.arrow((120, 410), (120, 478), kind="seen")
    d.text((130, 446), "sees", anchor="start", colour=ORANGE)
    d.attacker((120, 514))
    d.label((120, 556), "attacker")
    d.arrow((212, 62), (318, 62), (318, 514), (144, 514), kind="known")
    d.text((308, 460), "knows every", "record but one", anchor="end", colour=ORANGE)
    return d


def correlated(width: int) -> Drawing:
    """Two people whose values move together; two attackers, one of whom knows the other value."""
    if width == WIDE:
        d = Drawing(width, 320)
        d.secret(8, 8, 222, 244, "not published")
        d.person((66, 60))
        d.text((66, 100), "you", colour=BLUE, bold=True)
        d.arrow((66, 106), (66, 124), blunt=True)
        d.text((66, 142), "move together")
        d.arrow((66, 150), (66, 168), blunt=True)
        d.other((66, 198))
        d.text((66, 238), "your sister")
        d.arrow((92, 66), (150, 112))
        d.arrow((92, 192), (150, 150))
        d.holder((184, 130))
        d.label((184, 190), "database")
        d.arrow((216, 130), (264, 130))
        d.mechanism((310, 130))
        d.label((310, 184), "mechanism", "noise for one", "changed record")
        d.arrow((354, 130), (398, 130))
        d.release((430, 130))
        d.lines((430, 130))
        d.label((430, 188), "noisy sum")
        d.arrow((462, 114), (518, 74), kind="seen")
        d.arrow((462, 146), (518, 194), kind="seen")
        d.text((486, 88), "sees", anchor="end", colour=ORANGE)
        d.attacker((546, 60))
        d.label((574, 50), "weak attacker", "knows nobody", anchor="start")
        d.text((574, 88), "learns up to 2ε", anchor="start", colour=ORANGE, bold=True)
        d.attacker((546, 206))
        d.label((574, 196), "strong attacker", "knows your sister", anchor="start")
        d.text((574, 234), "learns up to ε", anchor="start", colour=ORANGE, bold=True)
        d.arrow((66, 246), (66, 290), (546, 290), (546, 234), kind="known")
        d.text((244, 282), "knows your sister's value", anchor="start", colour=ORANGE)
        return d
    d = Drawing(width, 604)
    d.secret(8, 8, 328, 196, "not published")
    d.person((50, 62))
    d.text((50, 102), "you", colour=BLUE, bold=True)
    d.other((206, 62))
    d.text((206, 102), "your sister")
    d.arrow((74, 62), (182, 62), blunt=True)
    d.text((128, 82), "move together")
    d.arrow((76, 104), (102, 130))
    d.arrow((172, 110), (154, 130))
    d.holder((128, 160))
    d.label((170, 166), "database", anchor="start")
    d.arrow((128, 194), (128, 234))
    d.mechanism((128, 268))
    d.label((180, 258), "mechanism", "noise for one", "changed record", anchor="start")
    d.arrow((128, 300), (128, 338))
    d.release((128, 374))
    d.lines((128, 374))
    d.label((166, 380), "noisy sum", anchor="start")
    d.arrow((114, 410), (80, 466), kind="seen")
    d.arrow((142, 410), (224, 466), kind="seen")
    d.text((82, 438), "sees", anchor="end", colour=ORANGE)
    for x, name, knows, learns in (
        (70, "weak attacker", "knows nobody", "learns up to 2ε"),
        (240, "strong attacker", "knows your sister", "learns up to ε"),
    ):
        d.attacker((x, 502))
        d.label((x, 546), name, knows)
        d.text((x, 584), learns, colour=ORANGE, bold=True)
    d.arrow((230, 62), (322, 62), (322, 502), (264, 502), kind="known")
    d.text((314, 432), "knows her value", anchor="end", colour=ORANGE)
    return d


# Six people with two answers each: an age group (2 is 20 to 29 years) and yes or no.
PEOPLE = ["Aya", "Ben", "Chie", "Dai", "Emi", "Ken"]
TABLE = ["2n", "4y", "3n", "4y", "5n", "3y"]
SAMPLE = [TABLE[0], TABLE[2], TABLE[5]]
REWRITTEN = [SAMPLE[0], "5n", SAMPLE[2]]
SHUFFLED = [REWRITTEN[2], REWRITTEN[0], REWRITTEN[1]]


def disclosure(width: int) -> Drawing:
    """From a table to a sample, rewritten and shuffled; the attacker links a line."""
    if width == WIDE:
        d = Drawing(width, 312)
        d.secret(8, 8, 430, 220, "not published")
        d.grid((88, 112), TABLE, PEOPLE, size=22)
        d.label((88, 204), "table")
        d.arrow((116, 112), (164, 112))
        d.text((139, 102), "draw")
        d.grid((192, 112), SAMPLE, size=22)
        d.label((192, 166), "sample")
        d.arrow((220, 112), (250, 112))
        d.mechanism((296, 112))
        d.label((296, 166), "PRAM", "rewrites by chance")
        d.arrow((340, 112), (372, 112))
        d.grid((400, 112), REWRITTEN, size=22, changed=[(1, 0)])
        d.arrow((428, 112), (498, 112))
        d.text((468, 102), "shuffle")
        d.release((538, 112), 72, 96)
        d.grid((536, 116), SHUFFLED, size=22, changed=[(2, 0)])
        d.label((538, 182), "release")
        d.arrow((578, 112), (634, 112), kind="seen")
        d.text((604, 102), "sees", colour=ORANGE)
        d.attacker((666, 112))
        d.label((666, 158), "attacker")
        d.text((666, 182), "Which line", "is Aya?", colour=ORANGE, bold=True)
        d.arrow((88, 212), (88, 256), (666, 256), (666, 212), kind="known")
        d.text((108, 278), "knows all of the table or some of its rows, and the chances of",
               "rewriting; does not know who was drawn", anchor="start",
               colour=ORANGE)  # fmt: skip
        return d
    d = Drawing(width, 746)
    d.secret(8, 8, 328, 446, "not published")
    d.grid((110, 98), TABLE, PEOPLE, size=20)
    d.label((146, 102), "table", anchor="start")
    d.arrow((110, 162), (110, 190))
    d.text((120, 182), "draw some rows", anchor="start")
    d.grid((110, 224), SAMPLE, size=20)
    d.label((146, 228), "sample", anchor="start")
    d.arrow((110, 258), (110, 286))
    d.mechanism((110, 320))
    d.label((162, 316), "PRAM", "rewrites by chance", anchor="start")
    d.arrow((110, 352), (110, 380))
    d.grid((110, 414), REWRITTEN, size=20, changed=[(1, 0)])
    d.arrow((110, 446), (110, 496))
    d.text((120, 478), "shuffle", anchor="start")
    d.release((110, 544), 70, 88)
    d.grid((108, 548), SHUFFLED, size=20, changed=[(2, 0)])
    d.label((156, 548), "release", anchor="start")
    d.arrow((110, 590), (110, 634), kind="seen")
    d.text((120, 616), "sees", anchor="start", colour=ORANGE)
    d.attacker((110, 670))
    d.label((110, 712), "attacker")
    d.text((110, 733), "Which line is Aya?", colour=ORANGE, bold=True)
    d.arrow((196, 97), (322, 97), (322, 670), (134, 670), kind="known")
    d.text((314, 606), "knows rows of", "the table, not", "who was drawn", anchor="end",
           colour=ORANGE)  # fmt: skip
    return d


# The example of page 3: eighteen people at three stations, where they are now and the forecast.
BEFORE, NOW, FORECAST = (6, 6, 6), (2, 9, 7), (5.4, 7.2, 5.4)


def movements(d: Drawing, at: Point) -> None:
    """Draw nine arrows between three places, wide where people stay."""
    x, y = at
    for i in range(3):
        for j in range(3):
            path = f"M{x - 34:g} {y + 26 * (i - 1):g}L{x + 34:g} {y + 26 * (j - 1):g}"
            d.add("path", d=path, stroke=QUIET, stroke_width=4 if i == j else 1.2)
    for side in (-34, 34):
        for i in range(3):
            d.add("circle", cx=x + side, cy=y + 26 * (i - 1), r=6, fill=BLUE)


def location(width: int) -> Drawing:
    """A crowd before, movements, a histogram now, the published one; an attacker of class MK."""
    before, now = ([people / 2.5 for people in bars] for bars in (BEFORE, NOW))
    published = [(x + f) / 6 for x, f in zip(NOW, FORECAST)]  # half-way, on a smaller scale
    if width == WIDE:
        d = Drawing(width, 306)
        d.secret(252, 20, 236, 186, "not published")
        d.bars((60, 130), before)
        d.label((60, 158), "crowd", "a minute ago")
        d.arrow((98, 104), (126, 104))
        movements(d, (176, 104))
        d.label((176, 158), "movements", "probabilities")
        d.arrow((224, 104), (272, 104))
        d.bars((310, 130), now)
        d.label((310, 158), "crowd now")
        d.arrow((346, 104), (384, 104))
        d.mechanism((430, 104), moves=True)
        d.label((430, 158), "algorithm", "moves it to", "the forecast")
        d.arrow((474, 104), (520, 104))
        d.release((564, 100), 84, 92)
        d.bars((562, 134), published, GREEN)
        d.label((564, 168), "published", "histogram")
        d.arrow((608, 104), (656, 104), kind="seen")
        d.text((630, 94), "sees", colour=ORANGE)
        d.attacker((684, 104))
        d.label((678, 150), "attacker")
        d.text((676, 174), "Where is", "Aya now?", colour=ORANGE, bold=True)
        d.arrow((60, 186), (60, 250), (676, 250), (676, 202), kind="known")
        d.arrow((176, 186), (176, 250), kind="known", blunt=True)
        d.text((84, 272), "knows the crowd a minute ago and the probabilities of the movements;",
               "some attackers also know where everybody was", anchor="start",
               colour=ORANGE)  # fmt: skip
        return d
    d = Drawing(width, 748)
    d.bars((90, 62), before)
    d.label((150, 40), "crowd", "a minute ago", anchor="start")
    d.arrow((90, 68), (90, 94))
    movements(d, (90, 130))
    d.label((150, 126), "movements", "probabilities", anchor="start")
    d.secret(8, 182, 276, 222, "")
    d.text((272, 203), "not published", anchor="end")
    d.arrow((90, 166), (90, 206))
    d.bars((90, 274), now)
    d.label((150, 254), "crowd now", anchor="start")
    d.arrow((90, 282), (90, 312))
    d.mechanism((90, 346), moves=True)
    d.label((142, 336), "algorithm", "moves it to", "the forecast", anchor="start")
    d.arrow((90, 378), (90, 424))
    d.release((90, 474), 84, 92)
    d.bars((88, 508), published, GREEN)
    d.label((150, 468), "published", "histogram", anchor="start")
    d.arrow((90, 522), (90, 582), kind="seen")
    d.text((100, 552), "sees", anchor="start", colour=ORANGE)
    d.attacker((90, 618))
    d.label((90, 660), "attacker")
    d.text((90, 682), "Where is Aya now?", colour=ORANGE, bold=True)
    d.arrow((256, 40), (322, 40), (322, 618), (114, 618), kind="known")
    d.arrow((256, 126), (322, 126), kind="known", blunt=True)
    d.text((314, 562), "knows the crowd a", "minute ago and the", "probabilities", anchor="end",
           colour=ORANGE)  # fmt: skip
    d.text((12, 714), "Some attackers also know where", "everybody was.", anchor="start",
           colour=ORANGE)  # fmt: skip
    return d


ENCODED, FLIPPED = "−−−+−−", "−+−+−+"
MATRIX = ["      ", FLIPPED, ENCODED, "      "]  # the report of a user, and that of a fake one
HONEST, FAKE = ([(row, column) for column in range(6)] for row in (1, 2))


def sketch(width: int) -> Drawing:
    """From a user's item to a row of the server's matrix; a fake user; where a transfer helps."""
    if width == WIDE:
        d = Drawing(width, 362)
        d.secret(8, 8, 462, 184, "stays on the user's device")
        d.person((62, 84))
        d.label((62, 126), "user", "item: teapot")
        d.arrow((88, 84), (190, 84))
        d.text((138, 74), "hash of row j")
        d.grid((248, 84), [ENCODED], size=17)
        d.label((248, 126), "encoded row")
        d.arrow((304, 84), (340, 84))
        d.mechanism((386, 84))
        d.label((386, 138), "random flips")
        d.arrow((430, 84), (510, 84))
        d.text((496, 74), "report", anchor="end")
        d.grid((570, 84), MATRIX, size=18, changed=HONEST)
        d.label((570, 34), "server's matrix")
        d.arrow((628, 84), (656, 84))
        d.bars((682, 108), [1.2, 2.6], GREEN)
        d.label((680, 134), "estimate")
        d.arrow((534, 124), (534, 222), (386, 222), (386, 152))
        d.text((320, 242), "page 5: the server helps to flip,", "by oblivious transfer",
               anchor="start")  # fmt: skip
        d.arrow((618, 124), (652, 190), kind="seen")
        d.text((642, 166), "sees", anchor="start", colour=ORANGE)
        d.attacker((662, 230))
        d.label((662, 274), "server", "Which item?")
        d.attacker((62, 292))
        d.label((62, 334), "fake user")
        d.arrow((88, 292), (190, 292), kind="seen", blunt=True)
        d.text((138, 284), "no flips", colour=ORANGE)
        d.grid((248, 292), [ENCODED], size=17)
        d.text((248, 330), "the row that gains most", colour=ORANGE)
        d.arrow((304, 292), (576, 292), (576, 124), kind="seen")
        return d
    d = Drawing(width, 588)
    d.secret(8, 8, 328, 286, "stays on the user's device")
    d.person((90, 64))
    d.label((132, 62), "user", "item: teapot", anchor="start")
    d.arrow((90, 90), (90, 126))
    d.text((100, 112), "hash of row j", anchor="start")
    d.grid((90, 142), [ENCODED], size=17)
    d.label((152, 148), "encoded row", anchor="start")
    d.arrow((90, 156), (90, 186))
    d.mechanism((90, 220))
    d.label((142, 206), "random flips", "page 5: with the server,", "by oblivious transfer",
            anchor="start")  # fmt: skip
    d.arrow((90, 252), (90, 336))
    d.text((100, 314), "report", anchor="start")
    d.grid((90, 376), MATRIX, size=18, changed=HONEST)
    d.label((90, 434), "server's matrix")
    d.arrow((150, 376), (258, 376), kind="seen")
    d.text((204, 366), "sees", colour=ORANGE)
    d.attacker((288, 376))
    d.label((288, 420), "server", "Which item?")
    d.arrow((60, 446), (60, 476))
    d.bars((60, 526), [1.2, 2.6], GREEN)
    d.label((60, 550), "estimate")
    d.attacker((288, 526))
    d.label((288, 570), "fake user")
    d.arrow((262, 526), (130, 526), (130, 446), kind="seen")
    d.text((144, 496), "no flips:", "the row that", "", "gains most", anchor="start", colour=ORANGE)
    return d


DRAWINGS: dict[str, Callable[[int], Drawing]] = {
    "intro": intro,
    "laplace": laplace,
    "correlated": correlated,
    "disclosure": disclosure,
    "location": location,
    "sketch": sketch,
}


def files() -> dict[str, str]:
    """Return every drawing by the name of its file."""
    made = {}
    for name, draw in DRAWINGS.items():
        made[f"{name}.svg"] = draw(WIDE).svg()
        made[f"{name}-narrow.svg"] = draw(NARROW).svg()
    return made


def main() -> None:
    """Write the drawings."""
    FOLDER.mkdir(exist_ok=True)
    for name, content in files().items():
        (FOLDER / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
