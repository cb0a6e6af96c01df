"""The page that says what is promised: its names exist, and no promising function is left out."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "book" / "api" / "promises.md").read_text(encoding="utf-8")
PARTS = ("laplace", "correlated", "disclosure", "location", "sketch")
PROMISING = [
    "laplace", "discrete_laplace", "histogram", "private_count", "private_sum", "private_mean",
    "PrivacyBudget.spend", "share_intervals", "top", "audit", "output_perturbation",
    "objective_perturbation", "clip_rows", "Staircase", "binomial_test",
    "PrivateLinearClassifier", "PrivateRidge", "FiniteDistribution.noise_scale",
    "MarkovChain.noise_scale", "MarkovRandomField.noise_scale",
    "Households.noise_scale", "Households.leakage",
    "markov_quilt_scale", "GaussianModel.noise_scale", "best_release", "max_leakage_bounds",
    "MarkovRandomField.leakage", "private_histogram", "bridge_histogram", "optimal_mechanism",
    "event_level_mechanism", "certified_mechanism", "feasible_intervals", "ngram_dp", "max_gain",
    "publish", "apply_pram", "pk_level", "pk_level_map", "stratified_pk_level",
    "conditional_poisson_pk_level", "max_sample_size", "bernoulli_risk", "amplified_epsilon",
    "local_dp_epsilon", "risk_report", "pk_level_of_lines", "table_risk_report",
    "learning_attacker_risk", "retention_for_k",
    "neighbour_delta",
    "CountMeanSketch", "HadamardCountMeanSketch", "oblivious_report", "Protocol", "slots_for",
]  # fmt: skip


def rows():
    """The names in the first cells of the tables, with the part that they stand under."""
    part = ""
    titles = dict(zip(
        ("The Laplace mechanism", "Correlated data", "Sampling and PRAM", "Location histograms",
         "Count sketches", "Research notes", "Notebooks"),
        (*PARTS, "research", "notebook"), strict=True,
    ))  # fmt: skip
    for line in PAGE.splitlines():
        if line.startswith("## "):
            part = titles[line[3:]]
        elif line.startswith("| ") and not line.startswith(("| function", "| ---")):
            for name in re.findall(r"`([A-Za-z_][\w.]*)[^`]*`", line.split(" | ")[0]):
                yield part, name


def found(part, name):
    """Whether a name is an object of a part, by whatever module it is reached."""
    package = importlib.import_module(f"privlib.{part}")
    places = [package, importlib.import_module("privlib")]
    places += [importlib.import_module(f"privlib.{part}.{m}") for m in modules(part)]
    places += [value for place in list(places) for value in vars(place).values()
               if isinstance(value, type)]  # fmt: skip
    for place in places:
        value = place
        for step in name.split("."):
            value = getattr(value, step, None)
        if value is not None:
            return True
    return False


def modules(part):
    return [path.stem for path in (ROOT / "privlib" / part).glob("[a-z]*.py")]


@pytest.mark.parametrize("part", [*PARTS, "research"])
def test_every_name_exists(part):
    named = {name for own, name in rows() if own == part}
    assert len(named) > 5
    unknown = {name for name in named if not found(part, name.removeprefix(f"{part}."))}
    others = {"method", "alike", "shown", "LaplaceMechanism"}
    assert not {name for name in unknown if name.split(".")[-1] not in others} - others


def test_no_promising_function_is_left_out():
    text = "\n".join(line.split(" | ")[0] for line in PAGE.splitlines() if line.startswith("| "))
    assert not [name for name in PROMISING if f"{name.split('.')[-1]}`" not in text
                and f"{name.split('.')[-1]}(" not in text]  # fmt: skip
