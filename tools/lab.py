"""JupyterLab for this book: what ``make lab`` starts.

JupyterLab with `jupyterlab-myst` shows definitions, boxes and formulas of a notebook. What is
missing then is the book's own, and comes from here:

- ``lab_share/extensions/privlib``, a few functions in JavaScript that fold solutions, fill numbers
  from outputs and citations into the text, draw the live figures and lead badges to the ledger.
  They change what is seen, never a notebook. What they need to know is part of Lab's page.
- `Contents`, which brings the three faces of a notebook into the form of ``tools/notebooks.py``
  whenever one is saved, and names its kernel as Lab will: who opens, runs and saves a notebook has
  changed nothing.
- ``/book/``, the built book, for the links of the badges (`Book`).
- ``lab_share/settings``: text faces open as notebooks; nothing is fetched from the network.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import nbformat
import pictures
import works
from ipykernel.ipkernel import IPythonKernel
from jupyter_client.kernelspec import get_kernel_spec
from jupyter_server.auth.decorator import allow_unauthenticated
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from jupytext.async_contentsmanager import build_async_jupytext_contents_manager_class
from tornado.web import StaticFileHandler

import notebooks

ROOT = Path(__file__).resolve().parent.parent
SHARE = Path(__file__).resolve().parent / "lab_share"
HTML = ROOT / "_build" / "html"
MISSING = "The book is not built yet, or has no such page: run <code>make book</code>, then reload."

_Paired: Any = build_async_jupytext_contents_manager_class(AsyncLargeFileManager)


class Contents(_Paired):  # type: ignore[misc]
    """Files as Lab reads and writes them; the tool has the last word on notebooks of the book."""

    async def get(self, path: str, *args: Any, **kwargs: Any) -> Any:
        """Read; a notebook of the book describes its kernel as that describes itself.

        Lab writes this into a notebook when the kernel starts, and if it differs, marks it unsaved.
        """
        model = await super().get(path, *args, **kwargs)
        if model["type"] == "notebook" and model["content"] and self._stem(path):
            model["content"]["metadata"].update(
                kernelspec=notebooks.KERNEL["kernelspec"]
                | {"display_name": get_kernel_spec("python3").display_name},
                language_info=IPythonKernel.language_info,
            )
        return model

    async def save(self, model: dict[str, Any], path: str = "") -> Any:
        """Save, then bring the faces in step; the answer has the time of the last change."""
        saved = await super().save(model, path)
        stem = self._stem(path)
        if model.get("type") != "notebook" or stem is None:
            return saved
        try:
            await asyncio.to_thread(in_step, stem)
        except (notebooks.OutOfStepError, ValueError) as error:  # `make notebooks` tells too
            self.log.warning("%s is saved, but not as the tool writes it: %s", path, error)
        return await self.get(path, content=False, type="notebook")

    def _stem(self, path: str) -> Path | None:
        return stem_of(Path(self._get_os_path(path)).resolve())


def in_step(stem: Path) -> None:
    """Bring the faces in step; pictures that look like the committed ones are those."""
    path = notebooks.face(stem, ".ipynb")
    show = ["git", "-C", str(path.parent), "show", f"HEAD:./{path.name}"]
    if not (told := subprocess.run(show, capture_output=True, check=False)).returncode:
        saved = nbformat.read(path, as_version=4)
        pictures.spare(saved)
        pictures.keep(nbformat.reads(told.stdout.decode(), as_version=4), saved)
        nbformat.write(saved, path)
    notebooks.sync(stem)


def stem_of(path: Path) -> Path | None:
    """Return the notebook of the book that a file is a face of, as a path without suffix."""
    for suffix in (".ipynb", *notebooks.FORMATS):
        if path.suffix == suffix and path.parent.parent == ROOT / "notebooks":
            return path.with_suffix("")
    return None


class Book(StaticFileHandler):
    """The built book; a page that is missing says how to build it."""

    @allow_unauthenticated
    async def get(self, path: str, include_body: bool = True) -> None:  # noqa: FBT001, FBT002
        """Send a page, to whom the server is open: nothing in it is secret."""
        await super().get(path, include_body)

    @allow_unauthenticated
    async def head(self, path: str) -> None:
        """Send the head of a page."""
        await super().get(path, include_body=False)

    def write_error(self, status_code: int, **_: Any) -> None:
        """Say what to do."""
        self.finish(f"<title>{status_code}</title><p>{MISSING if status_code == 404 else ''}")


default_handlers = [(r"/book/(.*)", Book, {"path": str(HTML), "default_filename": "index.html"})]


# A block with a title and a label, or a label above a heading.
_LABELLED = re.compile(
    r"^`{3,}\{(?P<kind>[\w:-]+)\}[ \t]*(?P<title>.*)\n:label:[ \t]*(?P<label>[\w-]+)"
    r"|^\((?P<mark>[\w-]+)\)=\n+#+[ \t]*(?P<heading>.*)",
    re.MULTILINE,
)


def labels(root: Path = ROOT) -> dict[str, list[str]]:
    """Return of each label the notebook that has it, as ``part/NN-slug``, and the words for it."""
    told = {}
    for stem in notebooks.stems(root / "notebooks"):
        text = notebooks.face(stem, ".md").read_text(encoding="utf-8")
        for found in _LABELLED.finditer(text):
            kind = (found["kind"] or "").removeprefix("prf:").removesuffix("-start")
            words = found["heading"] or f"{kind} “{found['title']}”"
            told[found["label"] or found["mark"]] = [f"{stem.parent.name}/{stem.name}", words]
    return told


def configure(c: Any) -> None:
    """Set Jupyter's configuration."""
    import plotly

    told = {"citations": works.citations(ROOT), "labels": labels()}
    c.ServerApp.contents_manager_class = Contents
    c.ServerApp.extra_services = ["lab"]
    c.ServerApp.extra_static_paths = [str(Path(plotly.__file__).parent / "package_data")]
    c.ServerApp.tornado_settings = {"page_config_data": {"privlib": json.dumps(told)}}
    c.LabApp.extra_labextensions_path = [str(SHARE / "extensions")]
    c.LabApp.app_settings_dir = str(SHARE / "settings")
    c.LabApp.default_url = "/lab/tree/notebooks"
