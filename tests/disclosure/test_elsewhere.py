"""What other packages say of the same releases: k by pycanon, individual risk by sdcMicro."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

from privlib.disclosure import risk_report
from privlib.disclosure.sampling import benedetti_franconi_risk

SAID = yaml.safe_load(Path(__file__).with_name("elsewhere.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("entry", SAID["pycanon"]["releases"], ids=lambda entry: entry["columns"])
def test_the_label_of_a_plain_release_has_the_k_of_pycanon(entry):
    columns = eval(entry["columns"])
    lines = list(zip(*columns.values()))
    names = sorted(set(lines))
    release = [names.index(line) for line in lines]
    found = risk_report(release, np.eye(len(names)), population_size=2 * len(lines))
    assert found.fewest_equal_lines == entry["k"]
    assert found.k_table_known == found.k_participants_known == entry["k"]


@pytest.mark.parametrize("entry", SAID["sdcMicro"], ids=lambda entry: entry["source"][:12])
def test_the_individual_risk_is_that_of_sdcmicro(entry):
    f, people, risks = np.array(entry["risks"]).T
    ours = benedetti_franconi_risk(f.astype(int), f / people)
    assert ours == pytest.approx(risks, abs=1.1e-8)  # eight printed decimals, one cut off
