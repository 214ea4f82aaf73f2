"""The programs of `make real`, which others wrote, or which are a few lines on a real library.

`packages`: Debian's. `libraries`: what is counted. `bound`: the most that tracing may cost, as a factor of the wall time,
from issue 27; none: the program is too short to time, or its time varies by itself.
"""
import dataclasses
import os
import shlex

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
PYTHON = "/usr/bin/python3"  # Debian's: its modules are Debian's packages
OPENCL = ("libOpenCL.so.1",)


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    command: str  # {build}: the folder of what is compiled; {here}: the folder of the small programs; {python}
    packages: tuple = ()
    libraries: tuple = OPENCL
    bound: float | None = None
    compiled: str = ""  # a C or C++ file of the folder, and its libraries
    environment: tuple = ()
    statuses: tuple = (0,)
    options: tuple = ()  # of trace

    def words(self, build):
        return shlex.split(self.command.format(build=build, here=HERE, python=PYTHON))


PROGRAMS = (
    Program("clinfo", "clinfo", ("clinfo",)),
    Program("hashcat", "hashcat -m 0 -a 3 --potfile-disable -O --quiet --force 5d41402abc4b2a76b9719d911017c592 ?l?l?l?l?l",
            ("hashcat",), bound=1.03, statuses=(0, 1)),
    Program("PyOpenCL", "{python} -B {here}/pyopencl_steps.py", ("python3-pyopencl",), bound=1.10),
    Program("OpenMM", "{python} -B {here}/openmm_steps.py", ("python3-simtk", "libopenmm-plugins"), bound=1.10),
    Program("ffmpeg", "ffmpeg -loglevel error -init_hw_device opencl=ocl -filter_hw_device ocl -f lavfi -i "
            "testsrc2=size=320x240:rate=25:duration=6 -vf format=yuv420p,hwupload,unsharp_opencl,hwdownload,format=yuv420p "
            "-f md5 -", ("ffmpeg",), bound=1.03),
    Program("clFFT", "clFFT-client -c -x 1024 -y 64 -b 8 -p 200", ("clfft-client",), bound=1.03),
    Program("CLBlast xaxpy", "clblast_test_xaxpy", ("clblast-tests",), bound=1.10, statuses=(0, 1)),
    Program("CLBlast copy", "clblast_tuner_copy_fast", ("clblast-utils",), statuses=(0, 1)),
    Program("clpeak", "clpeak --kernel-latency", ("clpeak",), bound=1.50),
    Program("clpeak copies", "clpeak --transfer-bandwidth", ("clpeak",)),
    Program("gpyfft", "{python} -B {here}/gpyfft_transforms.py", ("python3-gpyfft",)),
    Program("ctypes", "{python} -B {here}/ctypes_calls.py", ()),
    Program("Level Zero", "{build}/level_zero", ("libze1", "libze-dev"), ("libze_loader.so.1",),
            compiled="level_zero.c -lze_loader"),
    Program("MPI, CUDA", "mpirun --allow-run-as-root --oversubscribe -n 4 {build}/cuda_allocations", ("openmpi-bin",),
            ("libcudart.so.13",), compiled="cuda_allocations.c -ldl"),
    Program("rocminfo", "rocminfo", ("rocminfo",), ("libamdhip64.so.5",), statuses=(0, 1, 255)),
    Program("ibv_devinfo", "ibv_devinfo", ("ibverbs-utils",), ("libibverbs.so.1",), statuses=(0, 1, 255), options=("--rdma-verbs",)),
    # Not of the field report: chosen to see what those above do not do.
    Program("hcxkeys", "wlangenpmkocl -e network -i {build}/passwords -a /dev/null", ("hcxkeys",)),
    Program("StarPU", "/usr/lib/x86_64-linux-gnu/starpu/examples/vector_scal", ("starpu-examples",),
            environment=(("STARPU_OPENCL_ON_CPUS", "1"), ("STARPU_NCPU", "0"))),
    Program("sasmodels", "{python} -B {here}/sasmodels_steps.py", ("python3-sasmodels", "python3-pyopencl"),
            environment=(("PYOPENCL_CTX", "0"),)),
    Program("ViennaCL", "{build}/viennacl_cg", ("libviennacl-dev",), compiled="viennacl_cg.cc -l:libOpenCL.so.1"),
    Program("hwloc", "lstopo-no-graphics", ("hwloc", "libhwloc-plugins")),
    Program("UCX", "ucx_info -d", ("ucx-utils",), ("libibverbs.so.1",), options=("--rdma-verbs",)),
    Program("libfabric", "fi_info -p verbs", ("libfabric-bin",), ("libibverbs.so.1",), statuses=(0, 61), options=("--rdma-verbs",)),
    Program("x264", "x264 --quiet --opencl --preset fast --frames 60 --input-res 320x240 --fps 25 -o /dev/null {build}/frames.yuv",
            ("x264", "ocl-icd-opencl-dev")),
    Program("OpenCV", "{python} -B {here}/opencv_blur.py", ("python3-opencv",)),
    Program("GEGL", "gegl {build}/picture.png -o {build}/blurred.png -- gegl:gaussian-blur std-dev-x=3 std-dev-y=3", ("gegl",),
            environment=(("GEGL_USE_OPENCL", "cpu"),)),
    Program("darktable", "darktable-cltest", ("darktable",), statuses=(0, 1)),
    Program("silx", "{python} -B {here}/silx_filters.py", ("python3-silx", "python3-pyopencl"), environment=(("PYOPENCL_CTX", "0"),)),
    Program("pyFAI", "{python} -B {here}/pyfai_integrate.py", ("python3-pyfai", "python3-pyopencl")),
    Program("pygpu", "{python} -B {here}/pygpu_sums.py", ("python3-pygpu",)),
    # It ends before its other threads have; now and then by SIGSEGV, traced or not.
    Program("UFO", "ufo-launch -q dummy-data width=512 height=512 number=200 ! blur ! median-filter ! null",
            ("libufo-bin", "ufo-filters"), environment=(("UFO_DEVICE_TYPE", "cpu"),), statuses=(0, 139, -11)),
    Program("Mandelbulber", "mandelbulber2 -n -O image_width=320#image_height=240#opencl_enabled=1#opencl_device_type=3#"
            "opencl_platform=0#opencl_mode=1 -o {build}/fractal.png /usr/share/mandelbulber2/examples/IFS_001.fract",
            ("mandelbulber2",), environment=(("QT_QPA_PLATFORM", "offscreen"),)),
)
