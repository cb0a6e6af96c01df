from . import adversary as adversary
from . import finite as finite
from . import gaussian as gaussian
from . import networks as networks
from .adversary import adversaries as adversaries
from .finite import FiniteLaw as FiniteLaw
from .gaussian import GaussianModel as GaussianModel
