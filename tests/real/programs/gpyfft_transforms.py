"""20 transforms by gpyfft."""
import numpy
import pyopencl
import pyopencl.array
from gpyfft import FFT

context = pyopencl.Context([pyopencl.get_platforms()[0].get_devices()[0]])
queue = pyopencl.CommandQueue(context)
data = pyopencl.array.to_device(queue, numpy.ones((64, 64), dtype=numpy.complex64))
transform = FFT(context, queue, data)
for _ in range(20):
    for event in transform.enqueue():
        event.wait()
print(data.get()[0, 0])
