"""500 steps of two kernels, a copy out and a check of the result."""
import numpy
import pyopencl

context = pyopencl.Context([pyopencl.get_platforms()[0].get_devices()[0]])
queue = pyopencl.CommandQueue(context)
program = pyopencl.Program(context, """
__kernel void add(__global float* a, float b) { a[get_global_id(0)] += b; }
__kernel void halve(__global float* a) { a[get_global_id(0)] *= 0.5f; }
""").build()
host = numpy.zeros(4096, dtype=numpy.float32)
buffer = pyopencl.Buffer(context, pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.COPY_HOST_PTR, hostbuf=host)
add, halve = program.add, program.halve
for step in range(500):
    add(queue, (4096,), None, buffer, numpy.float32(1))
    halve(queue, (4096,), None, buffer)
    pyopencl.enqueue_copy(queue, host, buffer)
    queue.finish()
print(host[0])
