"""A small-angle scattering model, computed 100 times with other parameters: long kernels, small results."""
import numpy
from sasmodels.core import load_model
from sasmodels.direct_model import call_kernel

model = load_model("cylinder", platform="ocl", dtype="single")
kernel = model.make_kernel([numpy.logspace(-3, -1, 200)])
for step in range(100):
    found = call_kernel(kernel, {"radius": 200 + step, "length": 2000, "radius_pd": .2, "radius_pd_n": 20, "theta": 30, "phi": 15})
print(found[:3])
