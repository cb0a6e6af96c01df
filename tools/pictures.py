"""Pictures in the outputs of notebooks: who drew them, how far two are apart, which one is kept."""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path
from typing import Any

RMS = 6.0  # between two pictures, of 255; a line that moved or another curve gives far more
SAME = 0.5  # what fonts and rounding move on another machine; a dot that is gone gives more


def drawn_by(picture: str | Path) -> str:
    """Return what drew a PNG picture (base64 or a file), with its minor version, if it says."""
    from PIL import Image

    source = picture if isinstance(picture, Path) else io.BytesIO(base64.b64decode(picture))
    said = re.match(r"(\w+) version(\d+\.\d+)", Image.open(source).info.get("Software", ""))
    return " ".join(said.groups()) if said else "something unknown"


def rms(old: str, new: str) -> float:
    """Root mean square of the difference between two PNG pictures in base64, from 0 to 255."""
    import numpy as np
    from PIL import Image

    first, second = (
        np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB"), dtype=float)
        for data in (old, new)
    )
    return float(np.sqrt(np.mean((first - second) ** 2))) if first.shape == second.shape else 255.0


def in_palette(picture: bytes) -> bytes:
    """Return a PNG picture on white in 256 colours: a third of its weight, and it looks the same.

    One that has a palette is left as it is. What drew it stays said.
    """
    from PIL import Image, PngImagePlugin

    if picture[25] == 3:  # the header says that it has a palette
        return picture
    stored = Image.open(io.BytesIO(picture))
    said = PngImagePlugin.PngInfo()
    if drawer := stored.info.get("Software"):
        said.add_text("Software", drawer)
    image = stored.convert("RGBA")
    if image.getchannel("A").getextrema() != (255, 255):
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    few = image.convert("RGB").quantize(
        256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE
    )  # fmt: skip
    few.putpalette([255 if value > 252 else value for value in few.getpalette() or ()])
    # A tenth larger than at best.
    few.save(made := io.BytesIO(), "PNG", compress_level=7, pnginfo=said)
    return made.getvalue()


def spared(picture: str) -> str:
    """Return a PNG picture in base64 as a notebook keeps it, in 256 colours."""
    return base64.b64encode(in_palette(base64.b64decode(picture))).decode()


def spare(notebook: Any) -> None:
    """Let a notebook keep its pictures in 256 colours."""
    for cell in notebook.cells:
        for data in (output.get("data", {}) for output in cell.get("outputs", ())):
            if "image/png" in data:
                data["image/png"] = spared(data["image/png"])


def keep(old: Any, new: Any) -> None:
    """Let a notebook keep the pictures of an earlier run of the same code that look the same.

    So that running a notebook on another machine does not change its file.
    """
    before, after = ([c for c in n.cells if c.cell_type == "code"] for n in (old, new))
    if [cell.source for cell in before] != [cell.source for cell in after]:
        return
    for earlier, cell in zip(before, after):
        held = [o for o in earlier.outputs if "image/png" in o.get("data", {})]
        drawn = [o for o in cell.outputs if "image/png" in o.get("data", {})]
        for stored, fresh in zip(held, drawn) if len(held) == len(drawn) else ():
            pair = stored.data["image/png"], fresh.data["image/png"]
            if drawn_by(pair[0]) == drawn_by(pair[1]) and rms(*pair) <= SAME:
                fresh.data["image/png"] = stored.data["image/png"]
