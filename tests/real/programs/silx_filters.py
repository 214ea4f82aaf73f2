"""A median filter and a convolution of a picture, 20 times each."""
import numpy
from silx.opencl.convolution import Convolution
from silx.opencl.medfilt import MedianFilter2D

picture = numpy.random.RandomState(0).rand(256, 256).astype(numpy.float32)
median = MedianFilter2D(picture.shape, kernel_size=(5, 5))
for step in range(20):
    filtered = median.medfilt2d(picture)
convolution = Convolution(picture.shape, numpy.ones((9,), numpy.float32) / 9)
for step in range(20):
    smoothed = convolution(picture)
print(filtered.sum(), smoothed.sum())
