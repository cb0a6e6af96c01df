from . import adversary as adversary
from . import finite as finite
from . import gaussian as gaussian
from . import networks as networks
from .adversary import adversaries as adversaries
from .finite import FiniteDistribution as FiniteDistribution
from .gaussian import GaussianModel as GaussianModel
