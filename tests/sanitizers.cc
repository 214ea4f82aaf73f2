// How a program that is built with the address and undefined-behaviour sanitizers ends after a report: by SIGABRT.
//
// Left alone they end it with exit status 1, which is also what a command says of a recording that it refuses: a test
// that hands it such recordings would take a report for a refusal. The environment still overrides what is set here.
extern "C" const char* __asan_default_options() { return "abort_on_error=1"; }
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1"; }
