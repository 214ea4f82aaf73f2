"""The device as a training framework sees it: the runtime and the collective library through ctypes.

TRUTH_LIBRARIES is the folder they are in. Every call raises GpuError on a failure, as frameworks do.
"""
import ctypes
import os

import clock

FOLDER = os.environ["TRUTH_LIBRARIES"]
CUDA = ctypes.CDLL(os.path.join(FOLDER, "libcudart.so.12"), mode=ctypes.RTLD_GLOBAL)
KERNELS = ctypes.CDLL(os.path.join(FOLDER, "libkernels.so"))
CUDA.truth_inside_ns.restype = ctypes.c_uint64
clock.inside_calls[0] = CUDA.truth_inside_ns
CUDA.cudaGetErrorString.restype = ctypes.c_char_p
CUDA.cudaGetErrorString.argtypes = [ctypes.c_int]
CUDA.cudaGetErrorName.restype = ctypes.c_char_p
TO_DEVICE, TO_HOST = 1, 2
SPIN, YIELD, BLOCKING = 1, 2, 4
FAULT = 1 << 63


class GpuError(RuntimeError):
    """What a framework raises for a status that is not success."""


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]


GRID, BLOCK = Dim3(128, 1, 1), Dim3(256, 1, 1)
CUDA.cudaLaunchKernel.argtypes = [ctypes.c_void_p, Dim3, Dim3, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
CUDA.cudaMemcpyAsync.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p]
CUDA.cudaMemcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
CUDA.cudaFree.argtypes = [ctypes.c_void_p]
CUDA.cudaMalloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
CUDA.cudaHostRegister.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint]
CUDA.cudaHostUnregister.argtypes = [ctypes.c_void_p]
CUDA.cudaHostAlloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint]
for name in ("cudaStreamSynchronize", "cudaStreamQuery", "cudaEventSynchronize", "cudaEventQuery"):
    getattr(CUDA, name).argtypes = [ctypes.c_void_p]
CUDA.cudaEventRecord.argtypes = [ctypes.c_void_p, ctypes.c_void_p]

GEMM = ctypes.cast(KERNELS._Z4gemmPKfS0_Pf, ctypes.c_void_p)
ATTENTION = ctypes.cast(KERNELS._Z9attentionPKfS0_S0_Pf, ctypes.c_void_p)
SOFTMAX = ctypes.cast(KERNELS._Z7softmaxPfi, ctypes.c_void_p)
EMBEDDING = ctypes.cast(KERNELS._Z9embeddingPKiPf, ctypes.c_void_p)
ADAM = ctypes.cast(KERNELS._Z4adamPfS_S_f, ctypes.c_void_p)


def check(status):
    if status:
        text = CUDA.cudaGetErrorString(status).decode()
        raise GpuError(f"CUDA error {status}: {text}")


def device_flags(flags):
    check(CUDA.cudaSetDeviceFlags(flags))


class Kernel:
    """A launch of `function` that takes `us` microseconds on the device."""

    def __init__(self, function, us, faulty=False):
        self.function = function
        self.length = ctypes.c_uint64(int(us * 1000) | (FAULT if faulty else 0))
        self.args = (ctypes.c_void_p * 1)(ctypes.addressof(self.length))

    def __call__(self, stream=None):
        check(CUDA.cudaLaunchKernel(self.function, GRID, BLOCK, self.args, 0, stream))


def stream(independent=False):
    handle = ctypes.c_void_p()
    check(CUDA.cudaStreamCreateWithFlags(ctypes.byref(handle), 1 if independent else 0))
    return handle


def event(blocking=False):
    handle = ctypes.c_void_p()
    check(CUDA.cudaEventCreateWithFlags(ctypes.byref(handle), 1 if blocking else 0))
    return handle


def record(mark, on=None):
    check(CUDA.cudaEventRecord(mark, on))


def wait_event(mark):
    check(CUDA.cudaEventSynchronize(mark))


def allocate(size):
    address = ctypes.c_void_p()
    check(CUDA.cudaMalloc(ctypes.byref(address), size))
    return address


def free(address):
    check(CUDA.cudaFree(address))


def pinned(size):
    address = ctypes.c_void_p()
    check(CUDA.cudaHostAlloc(ctypes.byref(address), size, 0))
    return (ctypes.c_char * size).from_address(address.value)


def pin(memory, size):
    check(CUDA.cudaHostRegister(memory, size, 0))


def unpin(memory):
    check(CUDA.cudaHostUnregister(memory))


def copy_in(to, source, size, on=None):
    check(CUDA.cudaMemcpyAsync(to, source, size, TO_DEVICE, on))


def copy_in_now(to, source, size):
    check(CUDA.cudaMemcpy(to, source, size, TO_DEVICE))


def copy_out_now(to, source, size):
    check(CUDA.cudaMemcpy(to, source, size, TO_HOST))


def synchronize(on=None):
    check(CUDA.cudaStreamSynchronize(on) if on is not None else CUDA.cudaDeviceSynchronize())


class Model:
    """A forward pass, a backward pass and an optimiser: `launches` kernels that take `ms` milliseconds together."""

    def __init__(self, ms, launches=20):
        each = ms * 1000 / launches
        kinds = (EMBEDDING, ATTENTION, GEMM, SOFTMAX, GEMM)
        self.kernels = [Kernel(kinds[at % len(kinds)], each) for at in range(launches - 1)] + [Kernel(ADAM, each)]

    def step(self, on=None):
        for kernel in self.kernels:
            kernel(on)


class Group:
    """A communicator; the id goes through a file, as a launcher's store would hand it on."""

    def __init__(self, rank, ranks, store):
        self.library = ctypes.CDLL(os.path.join(FOLDER, "libnccl.so.2"))
        self.library.ncclAllReduce.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int,
                                               ctypes.c_void_p, ctypes.c_void_p]
        self.library.ncclAllGather.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int,
                                               ctypes.c_void_p, ctypes.c_void_p]
        self.library.ncclCommAbort.argtypes = self.library.ncclCommDestroy.argtypes = [ctypes.c_void_p]

        class Id(ctypes.Structure):
            _fields_ = [("internal", ctypes.c_char * 128)]
        unique = Id()
        if rank == 0:
            self.library.ncclGetUniqueId(ctypes.byref(unique))
            with open(store + ".new", "wb") as file:
                file.write(bytes(unique))
            os.rename(store + ".new", store)
        else:
            import time
            while not os.path.exists(store):
                time.sleep(0.01)
            with open(store, "rb") as file:
                unique = Id.from_buffer_copy(file.read())
        self.comm = ctypes.c_void_p()
        self.library.ncclCommInitRank.argtypes = [ctypes.c_void_p, ctypes.c_int, Id, ctypes.c_int]
        status = self.library.ncclCommInitRank(ctypes.byref(self.comm), ranks, unique, rank)
        if status:
            raise GpuError(f"NCCL error {status}")

    def all_reduce(self, count, on=None):
        if self.library.ncclAllReduce(None, None, count, 7, 0, self.comm, on):
            raise GpuError("NCCL error in AllReduce")

    def all_gather(self, count, on=None):
        if self.library.ncclAllGather(None, None, count, 7, self.comm, on):
            raise GpuError("NCCL error in AllGather")

    def abort(self):
        self.library.ncclCommAbort(self.comm)

    def close(self):
        self.library.ncclCommDestroy(self.comm)
