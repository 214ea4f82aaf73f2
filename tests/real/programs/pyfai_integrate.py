"""An azimuthal integration of a detector's picture, 50 times."""
import numpy
from pyFAI.azimuthalIntegrator import AzimuthalIntegrator

integrator = AzimuthalIntegrator(dist=0.1, poni1=0.05, poni2=0.05, pixel1=1e-4, pixel2=1e-4, wavelength=1e-10)
picture = numpy.random.RandomState(0).rand(1000, 1000).astype(numpy.float32)
for step in range(50):
    result = integrator.integrate1d(picture, 500, method=("bbox", "csr", "opencl"), unit="q_nm^-1")
print(result[1].sum())
