"""100 calls by ctypes, which looks functions up by name."""
import ctypes

library = ctypes.CDLL("libOpenCL.so.1")
count = ctypes.c_uint()
for _ in range(100):
    library.clGetPlatformIDs(0, None, ctypes.byref(count))
print(count.value)
