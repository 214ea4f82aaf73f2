"""A sum of two arrays, 50 times; the library compiles its kernel anew each time."""
import numpy
import pygpu
from pygpu import gpuarray
from pygpu.elemwise import elemwise2

context = pygpu.init("opencl0:0")
pygpu.set_default_context(context)
array = gpuarray.array(numpy.ones((400, 400), numpy.float32), context=context)
for step in range(50):
    result = numpy.asarray(elemwise2(array, "+", array, array))
print(result.sum())
