# Toolchain: builds for arm64 Linux on another machine, with Debian's cross compiler and the packages that
# tools/arm64_sysroot.sh unpacked. Programs that the build itself runs, and tests, run under qemu's user emulation.
#
# The folder is INGERO_ARM64/sysroot; INGERO_ARM64 is a CMake or environment variable, by default ~/.cache/ingero/arm64.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

# try_compile reads this file again, with nothing of the cache but what is named here.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES INGERO_ARM64)
if(NOT INGERO_ARM64)
  if(DEFINED ENV{INGERO_ARM64})
    set(INGERO_ARM64 $ENV{INGERO_ARM64})
  else()
    set(INGERO_ARM64 $ENV{HOME}/.cache/ingero/arm64)
  endif()
endif()
set(INGERO_ARM64 ${INGERO_ARM64} CACHE PATH "Where tools/arm64_sysroot.sh unpacked into sysroot/")
set(CMAKE_SYSROOT ${INGERO_ARM64}/sysroot)
if(NOT EXISTS ${CMAKE_SYSROOT}/packages)
  message(FATAL_ERROR "no arm64 packages in ${CMAKE_SYSROOT}: run 'make arm64', or tools/arm64_sysroot.sh ${CMAKE_SYSROOT}")
endif()
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_DIR} "")
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)

find_program(INGERO_QEMU_USER NAMES qemu-aarch64-static qemu-aarch64)
if(INGERO_QEMU_USER)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${INGERO_QEMU_USER} -L ${CMAKE_SYSROOT})
endif()
