# Build helpers: one language standard, one set of warnings, one function per kind of target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

option(INGERO_TESTS "Build the tests" ON)
option(INGERO_BENCH "Build the benchmarks" OFF)
set(INGERO_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them (address,undefined or thread)")

find_program(INGERO_CCACHE ccache)
if(INGERO_CCACHE)
  # Paths relative to the checkout: another checkout of the same source finds what this one compiled.
  # The sloppiness is what a precompiled header needs to be cached (ccache(1), "Precompiled headers").
  set(CMAKE_C_COMPILER_LAUNCHER env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${INGERO_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
endif()

# Line tables and functions are what backtraces and profiles need; variables cost a third of the build.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
add_compile_options(-Wall -Wextra -Wpedantic -Werror -fno-omit-frame-pointer)
# What hardens the program against its own mistakes, as Debian's hardening=+all and the processor's branch protection
# (tests/tools/hardening_test.py reads it from the program). The C library's checks (_FORTIFY_SOURCE) need optimisation,
# and would hide from the sanitizers what those are to find.
add_compile_options(-fstack-protector-strong)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_compile_options(-fstack-clash-protection -fcf-protection=full)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  # Clang 14 has the first for x86 only.
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fstack-clash-protection> -mbranch-protection=standard)
endif()
if(NOT INGERO_SANITIZE AND NOT INGERO_FUZZ)
  add_compile_options("$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
endif()
include(CheckPIESupported)
check_pie_supported()  # else CMake compiles for it and does not link it
add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
# gcc 12 sees overlaps in std::string::insert that are not there (GCC bug 105651).
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
# libbpf's LIBBPF_OPTS is a GNU statement expression.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-gnu-statement-expression> $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-c99-extensions>)
if(INGERO_SANITIZE)
  add_compile_options(-fsanitize=${INGERO_SANITIZE} -fno-sanitize-recover=all)
  # With its checks in the code, GCC takes members of the library's own types for uninitialized (its manual says so).
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-error=maybe-uninitialized>)
  add_link_options(-fsanitize=${INGERO_SANITIZE})
endif()

option(INGERO_PORTABLE "Link everything but glibc and libstdc++ statically, for machines without our packages" OFF)
if(INGERO_PORTABLE)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  # The compiler's own libraries stay shared: their static forms ask for a newer glibc than we do.
  # So do those Debian ships no archives of: tools/bundle.sh puts them into lib/, next to bin/.
  set(CMAKE_BUILD_RPATH "$ORIGIN/../lib")
  add_link_options(-Wl,--as-needed -Wl,--disable-new-dtags)
  add_compile_definitions(FMT_HEADER_ONLY)  # Debian ships no libfmt.a
endif()

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(prometheus-cpp REQUIRED)
pkg_check_modules(LIBBPF REQUIRED IMPORTED_TARGET libbpf)
pkg_check_modules(LIBELF REQUIRED IMPORTED_TARGET libelf)
pkg_check_modules(LIBDW REQUIRED IMPORTED_TARGET libdw)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
set(suffixes ${CMAKE_FIND_LIBRARY_SUFFIXES})
set(CMAKE_FIND_LIBRARY_SUFFIXES .so)  # Debian has no archive of the server, and both must mean one OpenSSL
pkg_check_modules(OPENSSL REQUIRED IMPORTED_TARGET openssl)
pkg_check_modules(NGHTTP2 REQUIRED IMPORTED_TARGET libnghttp2)
pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
set(CMAKE_FIND_LIBRARY_SUFFIXES ${suffixes})
find_library(INGERO_LIBZ z REQUIRED)
find_library(INGERO_LIBYAML yaml-cpp REQUIRED)
if(INGERO_PORTABLE)
  # What archives leave to the linker: the order is theirs.
  target_link_libraries(PkgConfig::LIBBPF INTERFACE PkgConfig::LIBELF ${INGERO_LIBZ})
  target_link_libraries(PkgConfig::LIBELF INTERFACE ${INGERO_LIBZ})
  target_link_libraries(PkgConfig::SQLITE INTERFACE ${INGERO_LIBZ} m)
endif()
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_path(INGERO_PROTOZERO protozero/pbf_writer.hpp REQUIRED)  # header-only
find_path(INGERO_CURL curl/curl.h REQUIRED)  # the library is opened when it is wanted (serve/net/curl.h)

# What nearly every file includes, parsed once: a quarter of what a clean build takes. Each file still includes what it
# uses: tools/lint.sh builds without this (CMAKE_DISABLE_PRECOMPILE_HEADERS). The room `base` owns the header.
set(INGERO_PRECOMPILED <algorithm> <array> <cstdint> <cstring> <functional> <map> <memory> <mutex> <optional> <span>
    <string> <string_view> <unordered_map> <utility> <vector> <fmt/format.h>)
# What gcc needs for one (ccache wants the first). Headers in it are no longer the system's to gcc 12, which then reports
# its false alarms about std::string there.
function(ingero_precompile_options target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>
                         $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds> $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow>
                         $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overread>)
endfunction()

function(ingero_precompile target)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  ingero_precompile_options(${target})
  if(TARGET ingero_base AND NOT target STREQUAL "ingero_base")
    target_precompile_headers(${target} REUSE_FROM ingero_base)
  else()
    target_precompile_headers(${target} PRIVATE ${INGERO_PRECOMPILED})
  endif()
endfunction()

# Several files of a target compiled as one: what they all include is parsed and instantiated once. A name is then one name
# in all the files of a target, in unnamed namespaces too. Off where includes must be honest (lint) and where single files
# are compiled again and again (debug).
option(INGERO_UNITY "Compile the files of a room, and of its tests, in batches" OFF)
set(INGERO_UNITY_FILES 12 CACHE STRING "Files in a batch; 0: all of a target")
function(ingero_unify target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${INGERO_UNITY} UNITY_BUILD_BATCH_SIZE ${INGERO_UNITY_FILES})
  if(INGERO_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A class that is private to a file may use that file's unnamed namespace: gcc takes the file for a header. What gcc 12
    # inlines from another file it may call uninitialized when it is not (std::variant in fleet/client.cc): a warning, no
    # error. And it collects garbage less often: an eighth of the time for a quarter more memory.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>
                           $<$<COMPILE_LANGUAGE:CXX>:-Wno-error=maybe-uninitialized>
                           "$<$<COMPILE_LANGUAGE:CXX>:SHELL:--param ggc-min-heapsize=1048576>")
  endif()
endfunction()

# ingero_room(NAME [FOLDERS] [PUBLIC deps...] [PRIVATE deps...])
# One static library per room from every .cc in its folder; with FOLDERS also from those below it. Dependencies are private unless a border header
# needs them, so a forbidden include also fails to find its header.
function(ingero_room name)
  cmake_parse_arguments(R "FOLDERS" "" "PUBLIC;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  if(R_FOLDERS)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  endif()
  if(NOT sources)
    return()
  endif()
  add_library(ingero_${name} STATIC ${sources})
  # The room's headers are included as "room/header.h" from a view that holds this room alone.
  set(view ${CMAKE_BINARY_DIR}/rooms/${name})
  file(MAKE_DIRECTORY ${view})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${view}/${name} SYMBOLIC)
  target_include_directories(ingero_${name} PUBLIC ${view})
  target_link_libraries(ingero_${name} PUBLIC ${R_PUBLIC} PRIVATE ${R_PRIVATE})
  ingero_precompile(ingero_${name})
  ingero_unify(ingero_${name})
endfunction()

# The rooms that exist, in the given order. (A room without sources yet is not an error: it is not there.)
macro(ingero_rooms)
  foreach(room ${ARGN})
    if(EXISTS ${CMAKE_SOURCE_DIR}/${room}/CMakeLists.txt)
      add_subdirectory(${room})
    endif()
  endforeach()
endmacro()
