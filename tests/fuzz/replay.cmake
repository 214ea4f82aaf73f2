# Every harness in one test program, where each one's function has a name of its own. Every kept input is read once.
file(GLOB harnesses CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_fuzz.cc)
set(names)
foreach(harness ${harnesses})
  get_filename_component(name ${harness} NAME_WE)
  set_source_files_properties(${harness} PROPERTIES COMPILE_DEFINITIONS LLVMFuzzerTestOneInput=${name})
  string(REGEX REPLACE "_fuzz$" "" name ${name})
  string(APPEND names " X(${name})")
endforeach()
add_executable(fuzz_replay replay_test.cc ${harnesses})
add_dependencies(fuzz_replay fuzzed_nvml)
target_include_directories(fuzz_replay PRIVATE ${CMAKE_SOURCE_DIR}/tests)
target_compile_definitions(fuzz_replay PRIVATE "INGERO_HARNESSES=${names}" INGERO_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                           INGERO_BINARY_DIR="${CMAKE_BINARY_DIR}" INGERO_FUZZED_NVML="$<TARGET_FILE:fuzzed_nvml>")
target_link_libraries(fuzz_replay PRIVATE ingero_cli GTest::gtest GTest::gtest_main PkgConfig::OPENSSL PkgConfig::NGHTTP2
                      PkgConfig::LIBBPF ${INGERO_LIBZ} ${CMAKE_DL_LIBS})
ingero_precompile_test(fuzz_replay)
set_property(GLOBAL APPEND PROPERTY INGERO_TEST_BINARIES fuzz_replay)
gtest_discover_tests(fuzz_replay DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
