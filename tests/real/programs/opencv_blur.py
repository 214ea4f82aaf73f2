"""OpenCV's transparent OpenCL: a blur, an edge detection and a resize of 50 pictures."""
import cv2
import numpy

cv2.ocl.setUseOpenCL(True)
picture = numpy.random.default_rng(1).integers(0, 255, (480, 640), dtype=numpy.uint8)
for _ in range(50):
    on_device = cv2.UMat(picture)
    blurred = cv2.GaussianBlur(on_device, (7, 7), 1.5)
    edges = cv2.Canny(blurred, 50, 150)
    small = cv2.resize(edges, (320, 240)).get()
print(cv2.ocl.haveOpenCL(), small.mean() > 0)
