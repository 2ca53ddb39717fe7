from .._compile import *  # noqa
from .._compile import inline, kernel
