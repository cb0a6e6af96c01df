from privlib.kit import answers as answers
from privlib.kit import datasets as datasets
from privlib.kit import derivations as derivations
from privlib.kit import evidence as evidence
from privlib.kit import interactive as interactive
from privlib.kit import plots as plots
from privlib.kit import railway as railway
from privlib.kit import tables as tables
from privlib.kit.answers import check as check
from privlib.kit.derivations import derivation as derivation
from privlib.kit.derivations import increasing as increasing
from privlib.kit.evidence import claim as claim
from privlib.kit.evidence import slips as slips
from privlib.kit.interactive import Slider as Slider
from privlib.kit.tables import table as table

__all__ = ["Slider", "check", "claim", "derivation", "increasing", "slips", "table"]
