"""JupyterLab as ``make lab`` starts it: what a reader sees, and that saving changes nothing.

The server runs on a copy of the repository, with settings of its own and no network. What a fresh
clone shows is not trusted by Lab, so everything here is seen without trust.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import matplotlib as mpl
import pytest
import reader
import works
from pictures import drawn_by

from conftest import HANGS, barriers

ROOT = Path(__file__).resolve().parent.parent
HERE = "Matplotlib " + ".".join(mpl.__version__.split(".")[:2])
PART, NAME = "laplace", "02-laplace-mechanism"  # short, with a live figure
BADGE = "book/ledger/laplace.html"
NEEDED = ("jupytext.toml", "book", "privlib", "tools", f"notebooks/{PART}")

lab = pytest.importorskip("lab", reason="JupyterLab is not installed: no notebook was opened in it")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
if shutil.which("git") is None:
    pytest.skip("no git: JupyterLab needs a copy of the repository", allow_module_level=True)


def git(folder, *words):
    options = ("-c", "user.name=test", "-c", "user.email=test@example.org")
    done = subprocess.run(
        ["git", *options, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


def stored(suffix):
    return (ROOT / "notebooks" / PART / f"{NAME}{suffix}").read_text(encoding="utf-8")


def bare(text):
    """Return a notebook file without its pictures."""
    return re.sub(r'"image/png": "[^"]*"', '"image/png": ""', text)


def cells():
    return reader.cells_of(ROOT / "notebooks" / PART / f"{NAME}.ipynb")


def outputs():
    return [{"metadata": {}, **o} for cell in cells() for o in cell.get("outputs", ())]


# --- what the page is told ------------------------------------------------------------------------


def test_a_face_of_a_notebook_is_known_by_its_folder():
    stem = ROOT / "notebooks" / PART / NAME
    for suffix in (".ipynb", ".md", ".py"):
        assert lab.stem_of(stem.with_suffix(suffix)) == stem
    assert lab.stem_of(stem.with_suffix(".txt")) is None
    assert lab.stem_of(ROOT / "book" / "intro.md") is None


def test_the_page_is_told_the_works_and_labels_that_notebooks_use():
    texts = {p: p.read_text(encoding="utf-8") for p in (ROOT / "notebooks").glob("*/*.md")}
    cited, labels = works.citations(ROOT), lab.labels()
    assert cited["dwork2006calibrating"][:2] == ["Dwork et al.", "2006"]
    for path, text in texts.items():
        for keys in re.findall(r"\{cite:[pt]\}`([^`]+)`", text):
            for key in keys.split(","):
                who, year, _ = cited[key.strip()]
                assert who, key
                assert re.fullmatch(r"(\d{4})?", year), key
        for target in re.findall(r"\{(?:prf:ref|ref)\}`([^`]+)`", text):
            label = target.rpartition("<")[2].rstrip(">")
            file, words = labels[label]
            assert (ROOT / "notebooks" / f"{file}.ipynb").exists(), (path.name, label)
            assert words, (path.name, label)


# --- in JupyterLab --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The repository's files in a repository of their own; the built book is one page."""
    folder = tmp_path_factory.mktemp("lab") / "privlib"
    for name in git(ROOT, "ls-files", "-z", "--", *NEEDED).split("\0")[:-1]:
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    (folder / ".gitignore").write_text("_build/\n__pycache__/\n.ipynb_checkpoints/\n")
    page = folder / "_build" / "html" / BADGE
    page.parent.mkdir(parents=True)
    page.write_text("<title>The ledger</title>", encoding="utf-8")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "As it is")
    return folder


@pytest.fixture(scope="module")
def server(copy):
    """Start JupyterLab on the copy; return its address."""
    pytest.importorskip("jupyterlab_myst", reason="jupyterlab-myst is not installed")
    home = copy.parent
    settings = home / "settings" / "@jupyterlab" / "notebook-extension"
    settings.mkdir(parents=True)
    # All cells at once, not as one scrolls.
    (settings / "tracker.jupyterlab-settings").write_text('{"windowingMode": "none"}')
    folders = {"CONFIG": "config", "DATA": "data", "RUNTIME": "run"}
    own = {f"JUPYTER_{key}_DIR": str(home / name) for key, name in folders.items()}
    own |= {f"JUPYTERLAB_{key}_DIR": str(home / key.lower()) for key in ("SETTINGS", "WORKSPACES")}
    command = [
        sys.executable, "-m", "jupyterlab", "--config", "tools/jupyter_server_config.py",
        "--no-browser", "--allow-root", "--ServerApp.port=0", "--ServerApp.ip=127.0.0.1",
        "--IdentityProvider.token=secret",
    ]  # fmt: skip
    process = subprocess.Popen(
        command, cwd=copy, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env={**os.environ, **own, "PYTHONPATH": str(copy)},
    )  # fmt: skip
    last = threading.Timer(HANGS, process.kill)
    last.start()
    told = ""
    try:
        while not (found := re.search(r"http://127\.0\.0\.1:\d+/", told)):
            line = process.stderr.readline()
            assert line, told
            told += line
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield found[0]
    finally:
        last.cancel()
        process.terminate()
        process.wait()


# What is clicked, in its order; once, as JupyterLab drops a click now and then. Its buttons act
# when they are pressed; a dialog may be below the pointer when it is released.
CLICKED = """globalThis.clicked = new Set();
addEventListener("pointerdown", event => {
  const item = event.target.closest("[data-jp-item-name], .jp-Dialog button, .jp-DirListing-item");
  clicked.add(item?.dataset.jpItemName ?? item?.innerText.trim() ?? event.target.className);
}, true);"""


@pytest.fixture(scope="module")
def page(browser, server):
    """The notebook's text face, opened by a double click in the list of files."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    context.set_default_timeout(1000 * HANGS)
    made, wrong = context.new_page(), []
    local = (server, "data:", "blob:")
    context.add_init_script(CLICKED)
    context.on("request", lambda r: r.url.startswith(local) or wrong.append(r.url))
    made.on("pageerror", lambda error: wrong.append(str(error)))

    def opened():
        made.goto(f"{server}lab/tree/notebooks/{PART}?token=secret")
        made.wait_for_function(
            "path => window._JUPYTERLAB?.privlib?.opens(path) === 'Jupytext Notebook'",
            arg=f"{NAME}.md",
        )
        made.dblclick(f".jp-DirListing-itemText:has-text('{NAME}.md')")
        # The exercises are last.
        made.wait_for_selector(".jp-Notebook details", timeout=1000 * PATIENCE)
        made.wait_for_function(IDLE, timeout=1000 * PATIENCE)

    again(opened)
    del wrong[:]  # what a visit that was broken off had asked for
    yield made
    context.close()
    assert not wrong


IDLE = "() => document.body.innerText.includes('| Idle')"
PATIENCE, TRIES = 30, 20  # seconds, times


def again(step):
    """Take a step, and once more if JupyterLab, which drops a click now and then, does not move."""
    for _ in range(TRIES - 1):
        try:
            return step()
        except playwright.TimeoutError:
            continue
    return step()


def text_of(page):
    return page.evaluate(
        "() => [...document.querySelectorAll('.jp-MarkdownCell .myst')]"
        ".map(e => e.innerText).join('\\n')"
    )


def test_text_is_rendered_as_in_the_book(page):
    text = text_of(page)
    assert "In this notebook" in text
    assert re.search(r"Algorithm 1\s*\(Laplace mechanism", text)
    assert re.search(r"Exercise 1\s*\(The median error\)", text)
    assert "(Dwork and Roth, 2014" in text
    assert not re.search(r"```|\{[a-z:-]+\}", text)  # a directive or a role as it is typed
    assert not page.query_selector_all(".myst .katex-error")
    saved = {
        o["metadata"]["scrapbook"]["name"]: "".join(*o["data"].values())
        for o in outputs() if "scrapbook" in o["metadata"]
    }  # fmt: skip
    for level in (1, 5):
        assert f"by {float(saved[f'lap-02-stairs-{level}']):.0f} % for" in text


def test_only_faces_of_notebooks_open_as_notebooks(page):
    names = [f"notebooks/{PART}/{NAME}.md", "README.md", "book/intro.md"]
    opens = page.evaluate("names => names.map(_JUPYTERLAB.privlib.opens)", names)
    assert opens[0] == "Jupytext Notebook"
    assert not {"Jupytext Notebook", "Notebook"} & set(opens[1:])


def test_numbers_are_formatted_as_in_python(page):
    values = [0.5, 1.5, 2.5, 0.25, 2.675, 1.005, 0.285, -1.5, 1234567.891, 0.0, 12, 999.5]
    specs = [".0f", ".1f", ".2f", ".3f", ".6f", ".0%", ".1%", ",.0f", ",.2f", ""]
    for path in (ROOT / "notebooks").glob("*/*.md"):
        specs += re.findall(r"\{glue:text\}`[^:`]+:([^`]+)`", path.read_text(encoding="utf-8"))
    assert {",", ",d"} <= set(specs)
    pairs = [(v, s) for s in sorted(set(specs)) for v in values if s != ",d" or isinstance(v, int)]
    shown = page.evaluate(
        "pairs => pairs.map(([text, spec]) => _JUPYTERLAB.privlib.formatted(text, spec))",
        [(repr(value), spec) for value, spec in pairs],
    )
    wanted = [format(value, spec) if spec else repr(value) for value, spec in pairs]
    assert dict(zip(pairs, shown)) == dict(zip(pairs, wanted))


def test_code_that_is_not_the_story_and_solutions_are_folded(page):
    hidden = sum("source_hidden" in c["metadata"].get("jupyter", {}) for c in cells())
    assert page.locator(".jp-CodeCell .jp-InputPlaceholder").count() == hidden
    first = page.locator("details").first
    answer = page.locator(".jp-CodeCell", has_text="tail.last.subs")
    assert first.evaluate("e => !e.open")
    assert not answer.is_visible()
    first.locator("summary").click()
    answer.wait_for(state="visible")
    assert "so about 6.9 persons" in first.inner_text()
    first.locator("summary").click()
    answer.wait_for(state="hidden")


def test_the_live_figure_moves(page):
    (shown,) = [o for o in outputs() if "live" in o["metadata"].get("privlib", {})]
    markup = "".join(shown["data"]["text/html"])
    content = json.loads(re.search(r"json\">(.*?)</script>", markup, re.DOTALL)[1])
    assert page.locator(".privlib-interactive").count() == 1
    page.wait_for_selector(".privlib-live .main-svg", state="attached")
    last = page.locator(".privlib-live input").last
    position = content["sliders"][-1]["start"]
    last.press("ArrowRight")
    assert last.get_attribute("aria-valuetext") == content["sliders"][-1]["readouts"][position + 1]
    frame = 0
    for slider in content["sliders"]:
        frame = frame * len(slider["readouts"]) + slider["start"]
    (note,) = [c["note"] for c in content["frames"][frame + 1] if "note" in c]
    assert page.locator(".privlib-live [role=status]").inner_text() == note
    change = next(c for c in content["frames"][frame + 1] if "trace" in c and "y" in c)
    drawn = page.evaluate(
        f"() => document.querySelector('.privlib-plot').data[{change['trace']}].y.map(Number)"
    )
    assert drawn == change["y"]


def test_a_badge_leads_to_the_built_page(page, server):
    badge = page.locator(".claim-badge a").first
    with page.expect_popup() as opened:
        badge.click()
    opened.value.wait_for_load_state()
    assert opened.value.url.startswith(f"{server}book/{BADGE}#claim-N-")
    assert opened.value.title() == "The ledger"
    answer = opened.value.goto(f"{server}book/book/ledger/other.html")
    assert answer.status == 404
    assert "make book" in opened.value.inner_text("body")
    opened.value.close()
    page.bring_to_front()


def saved(page):
    """Save by the button; return what the server answered. While Lab saves, it hears no click."""
    with page.expect_response(
        lambda r: r.request.method == "PUT" and f"{NAME}.md" in r.url, timeout=1000 * PATIENCE
    ) as answer:
        page.click("[data-jp-item-name='save'] jp-button")
    return answer.value


def test_what_is_drawn_is_accessible(page):
    """No violation of the axe rules in text, boxes, exercises, badges and the live figure."""
    ours = [".jp-MarkdownCell .myst", ".privlib-live", ".jp-OutputArea-output.jp-RenderedHTML"]
    shown = [one for one in ours if page.locator(f".jp-Notebook {one}").count()]
    assert len(shown) == len(ours)
    # axe takes what Lab scrolls for hidden, and judges no contrast.
    assert not barriers(page, include=shown, exclude=["mjx-container"], contrast=False)


UNSAVED = ".lm-TabBar-tab.jp-mod-dirty"


def test_to_open_look_and_play_leaves_nothing_to_save(page):
    """A dot on the tab would ask to save what nobody has edited."""
    assert page.locator(".lm-TabBar-tab", has_text=f"{NAME}.md").count() == 1
    assert page.locator(UNSAVED).count() == 0


WAITING = ".jp-CodeCell .jp-InputPrompt:text-is('[*]:')"


def test_to_run_everything_and_save_changes_nothing(page, copy):
    faces = [copy / "notebooks" / PART / f"{NAME}{s}" for s in (".ipynb", ".md", ".py")]
    before = {face: face.stat().st_mtime_ns for face in faces}
    page.evaluate("clicked.clear()")
    page.click("[data-jp-item-name='restart-and-run'] jp-button")
    page.click(".jp-Dialog .jp-mod-accept")
    page.wait_for_selector(WAITING, state="attached")  # the stored numbers are gone
    page.wait_for_selector(WAITING, state="detached")
    page.wait_for_function(IDLE)
    prompts = page.locator(".jp-CodeCell .jp-InputPrompt").all_text_contents()
    numbers = [int(n) for text in prompts for n in re.findall(r"\[(\d+)\]", text)]
    assert len(numbers) > 5
    assert numbers == sorted(numbers)
    assert not page.locator("[data-mime-type='application/vnd.jupyter.error']").count()
    page.wait_for_selector(".privlib-live .main-svg", state="attached")  # drawn anew
    assert page.locator(UNSAVED).count() == 1
    assert again(lambda: saved(page)).ok
    # The file is opened by a double click; three clicks more run all of it and save it.
    assert page.evaluate("[...clicked]") == ["restart-and-run", "Restart", "save"]
    page.wait_for_selector(UNSAVED, state="detached")
    assert all(face.stat().st_mtime_ns > before[face] for face in faces)
    pictures = [o["data"]["image/png"] for o in outputs() if "image/png" in o.get("data", {})]
    if {drawn_by(picture) for picture in pictures} == {HERE}:
        assert git(copy, "status", "--porcelain") == ""
    else:  # another matplotlib draws them anew, and nothing else changes
        assert git(copy, "status", "--porcelain").split() == ["M", f"notebooks/{PART}/{NAME}.ipynb"]
        assert bare(faces[0].read_text("utf-8")) == bare(stored(".ipynb"))
    # What Lab knows of the file is what is on the disk: it does not ask which one to keep.
    assert again(lambda: saved(page)).ok
    assert not page.locator(".jp-Dialog").count()
