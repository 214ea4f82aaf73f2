/* The described calls as data plus one caller per prototype: what make_fakes writes into fake_calls.c and ground_truth
 * reads. Written in C terms only, so that the caller is an ordinary compiler's view of the prototype and not the
 * project's own lowering of it. Everything is constant and lives for the whole program. */
#ifndef INGERO_TESTS_FAKES_FAKE_TABLE_H
#define INGERO_TESTS_FAKES_FAKE_TABLE_H

#include <stdint.h>

enum fake_limits {
  FAKE_MAX_PARAMS = 24,
  FAKE_MAX_WORDS = 64, /* eight-byte words of all parameters of one call */
  FAKE_MAX_ITEMS = 32, /* described values of one call */
};

enum fake_abi { FAKE_I32, FAKE_I64, FAKE_PTR, FAKE_DIM3, FAKE_STRUCT, FAKE_FLOAT };

struct fake_param {
  uint8_t abi;     /* enum fake_abi */
  uint8_t word;    /* its first word in the argument array */
  uint8_t n_words; /* dim3: x | y << 32, then z */
  uint8_t is_text; /* points to a C string */
  uint32_t reach;  /* bytes that are read or written behind a pointer; 0: nothing is */
};

/* One described value of a call: (part of) a word as passed, or `bytes` behind a pointer. */
struct fake_item {
  const char* field; /* the vocabulary's word, hal::name_of(Field) */
  uint8_t param;
  uint8_t word;  /* in the argument array */
  uint8_t bytes; /* 1, 2, 4 or 8: how much counts */
  uint8_t is_peek;
  uint8_t at_return; /* written by the callee */
  uint8_t of_result; /* behind the pointer returned: param and word mean nothing */
  uint8_t is_signed;
  uint16_t offset; /* bytes behind the pointer; else bytes into the word */
};

enum fake_returns { FAKE_STATUS, FAKE_POINTER, FAKE_VOID };

struct fake_row {
  const char* symbol;       /* exported spelling */
  const char* name;         /* the row's name */
  const char* jumps_to;     /* where a file exports this too, the row is a wrapper that jumps to it; "" if never */
  const char* only_with;    /* the row's prototype holds only in files that export this; "" always */
  const char* only_without; /* and this one only in files that do not */
  const char* library;
  const char* soname;
  const char* backend;
  const char* vendor;
  const char* kind;
  const char* direction; /* when the name says it, else "unknown" */
  const char* result;    /* what a returned pointer is, or "none" */
  uint32_t flags;        /* hal::RowFlag */
  uint8_t element_bytes;
  uint8_t returns; /* enum fake_returns */
  uint8_t n_params;
  uint8_t n_items;
  uint8_t n_out; /* out-pointers */
  const struct fake_param* params;
  const struct fake_item* items;
  uint64_t (*call)(void* function, const uint64_t* words);
};

#ifdef __cplusplus
extern "C" {
#endif
extern const struct fake_row fake_rows[];
extern const unsigned fake_row_count;
#ifdef __cplusplus
}
#endif

#endif
