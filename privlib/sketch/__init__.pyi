from privlib.sketch import count_mean as count_mean
from privlib.sketch import data as data
from privlib.sketch import distributed as distributed
from privlib.sketch import hadamard as hadamard
from privlib.sketch import hashing as hashing
from privlib.sketch import oracles as oracles
from privlib.sketch import poisoning as poisoning
from privlib.sketch import slots as slots
from privlib.sketch import transfer as transfer
from privlib.sketch import verifiable as verifiable
from privlib.sketch._scheme import Sketch as Sketch
from privlib.sketch.count_mean import CountMeanSketch as CountMeanSketch
from privlib.sketch.hadamard import HadamardCountMeanSketch as HadamardCountMeanSketch

__all__ = ["CountMeanSketch", "HadamardCountMeanSketch", "Sketch"]
