"""Makes the independent counter: a library for LD_PRELOAD that stands before a vendor's library and counts its calls.

For every function that the library exports there is a stub, which adds one to a counter and jumps on to the real
function: no argument is touched, no probe is used. Programs that look functions up by dlsym() get the stub as well. The
counters lie in a file that all processes of a program share, so that nothing is lost when one is killed.
x86-64 only: the stubs are assembly.
"""
import collections
import glob
import os
import struct
import subprocess

HEAD = """
        .text
slow:   # %r11: which function. Finds it, with the arguments as they were.
        pushq %rax; pushq %rdi; pushq %rsi; pushq %rdx; pushq %rcx; pushq %r8; pushq %r9; pushq %r10; pushq %r11
        subq $128, %rsp
        movups %xmm0, (%rsp); movups %xmm1, 16(%rsp); movups %xmm2, 32(%rsp); movups %xmm3, 48(%rsp)
        movups %xmm4, 64(%rsp); movups %xmm5, 80(%rsp); movups %xmm6, 96(%rsp); movups %xmm7, 112(%rsp)
        movq %r11, %rdi
        call counting_find
        movups (%rsp), %xmm0; movups 16(%rsp), %xmm1; movups 32(%rsp), %xmm2; movups 48(%rsp), %xmm3
        movups 64(%rsp), %xmm4; movups 80(%rsp), %xmm5; movups 96(%rsp), %xmm6; movups 112(%rsp), %xmm7
        addq $128, %rsp
        popq %r11
        leaq counting_real(%rip), %r10
        movq (%r10,%r11,8), %r11
        popq %r10; popq %r9; popq %r8; popq %rcx; popq %rdx; popq %rsi; popq %rdi; popq %rax
        jmp *%r11
"""
STUB = """
        .globl {name}
        .type {name}, @function
{name}: movq counting_counts(%rip), %r11
        lock incq {offset}(%r11)
        movq counting_real+{offset}(%rip), %r11
        testq %r11, %r11
        jz 1f
        jmp *%r11
1:      movl ${index}, %r11d
        jmp slow
        .size {name}, .-{name}
"""
C = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))
static const struct { const char* name; int library; void* stub; } functions[] = {@FUNCTIONS@};
static const char* const libraries[] = {@LIBRARIES@};
enum { kFunctions = sizeof functions / sizeof functions[0] };
static unsigned long unshared[kFunctions];
HIDDEN unsigned long* counting_counts = unshared;
HIDDEN void* counting_real[kFunctions];

typedef void* (*Find)(void*, const char*);
static Find real_dlsym(void) {
  static Find found;
  if (!found) found = (Find)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
  if (!found) found = (Find)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  return found;
}

static void* real_function(unsigned long index, int flags) {
  void* library = dlopen(libraries[functions[index].library], RTLD_LAZY | flags);
  return library ? real_dlsym()(library, functions[index].name) : NULL;
}

HIDDEN void counting_find(unsigned long index) {
  counting_real[index] = real_function(index, 0);
  if (!counting_real[index]) {
    fprintf(stderr, "counting: no %s in %s\n", functions[index].name, libraries[functions[index].library]);
    abort();
  }
}

__attribute__((constructor)) static void open_counts(void) {
  const char* path = getenv("COUNTING_FILE");
  int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0) return;
  unsigned long* shared = mmap(NULL, sizeof unshared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (shared == MAP_FAILED) return;
  for (int i = 0; i < kFunctions; ++i) __atomic_fetch_add(&shared[i], unshared[i], __ATOMIC_RELAXED);
  counting_counts = shared;
}

static int by_name(const void* name, const void* function) {
  return strcmp(name, ((const struct { const char* name; int library; void* stub; }*)function)->name);
}

/* Only what would have been the real function becomes its stub: others have functions of the same names. */
void* dlsym(void* handle, const char* name) {
  Find find = real_dlsym();
  const void* at = bsearch(name, functions, kFunctions, sizeof functions[0], by_name);
  if (!at || handle == RTLD_NEXT) return find(handle, name);
  unsigned long index = ((const char*)at - (const char*)functions) / sizeof functions[0];
  void* found = find(handle, name);
  return found && found == real_function(index, RTLD_NOLOAD) ? functions[index].stub : found;
}
"""


def exported(path):
    """function -> its address; of several versions of one name the default"""
    text = subprocess.run(["nm", "-D", "--defined-only", path], text=True, capture_output=True, check=True).stdout
    functions = {}
    for words in map(str.split, text.splitlines()):
        if len(words) == 3 and words[1] in "TW" and words[2].split("@")[0].isidentifier():
            name, _, version = words[2].partition("@")
            if version.startswith("@") or name not in functions:
                functions[name] = words[0]
    return functions


def address(functions, symbol):
    """Of a row's symbol, with a version or without; none: not exported."""
    return functions.get(symbol.split("@")[0])


def library_path(soname):
    for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/local/cuda/lib64", "/usr/local/cuda*/lib64", "/opt/rocm/lib"):
        for path in glob.glob(os.path.join(folder, soname)):
            return os.path.realpath(path)
    return None


class Counter:
    """The stubs for some libraries, and what they counted since the last reset()."""

    def __init__(self, folder, paths):
        self.names, self.addresses = [], {}
        for number, path in enumerate(paths):
            for name, address in exported(path).items():
                if name not in self.addresses:
                    self.names.append((name, number))
                    self.addresses[name] = (number, address)
        self.names.sort()
        self.library = os.path.join(folder, "counting.so")
        self.file = os.path.join(folder, "counts")
        self._build(folder, paths)
        self.reset()

    def _build(self, folder, paths):
        assembly, source = os.path.join(folder, "stubs.S"), os.path.join(folder, "counting.c")
        with open(assembly, "w", encoding="ascii") as file:
            file.write(HEAD)
            for index, (name, _) in enumerate(self.names):
                file.write(STUB.format(name=name, offset=8 * index, index=index))
            file.write('        .section .note.GNU-stack,"",@progbits\n')
        functions = ", ".join(f'{{"{name}", {number}, {name}}}' for name, number in self.names)
        declared = "\n".join(f"extern void {name}();" for name, _ in self.names)
        text = C.replace("@FUNCTIONS@", functions).replace("@LIBRARIES@", ", ".join(f'"{path}"' for path in paths))
        text = text.replace("#define HIDDEN", declared + "\n#define HIDDEN")
        with open(source, "w", encoding="ascii") as file:
            file.write(text)
        subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-w", "-fno-builtin", "-o", self.library, source, assembly,
                        "-ldl"], check=True)

    def reset(self):
        with open(self.file, "wb") as file:
            file.write(bytes(8 * len(self.names)))
        os.chmod(self.file, 0o666)

    def environment(self):
        return {"LD_PRELOAD": self.library, "COUNTING_FILE": self.file}

    def counts(self):
        """address of a function -> calls: names of one address are one function"""
        with open(self.file, "rb") as file:
            numbers = struct.unpack(f"<{len(self.names)}Q", file.read())
        counts = collections.Counter()
        for (name, _), number in zip(self.names, numbers):
            counts[self.addresses[name]] += number
        return counts
