/* A walk through functions that call each other in an order written down before: what a stack is compared with. */
#ifndef INGERO_TESTS_STACK_WALK_H
#define INGERO_TESTS_STACK_WALK_H

#include <stddef.h>

/* A function that its callers know nothing of: it stays one, with a frame of its own. */
#if defined(__clang__)
#define OPAQUE __attribute__((noinline))
#else
#define OPAQUE __attribute__((noipa))
#endif

struct walk;
typedef int (*walk_function)(struct walk*);

struct walk {
  const walk_function* functions; /* called one by the other; the last one makes the call */
  size_t at;
  size_t id; /* the bytes the call asks for: which walk it was */
};

struct named_function {
  walk_function function;
  const char* name;
};
#define WALK_FUNCTIONS 16
extern const struct named_function framed_functions[WALK_FUNCTIONS];   /* with frame pointers */
extern const struct named_function unframed_functions[WALK_FUNCTIONS]; /* without */

/* The next function of the walk. Something is left to do when it returns, so that no call is a tail call. */
#define RETURNED(call)                     \
  __extension__({                          \
    int returned = (call);                 \
    __asm__ volatile("" : "+r"(returned)); \
    returned;                              \
  })
#define NEXT(walk) RETURNED(((walk)->functions[++(walk)->at])(walk))

/* In a stripped library: calls the next function from within three of its own, of which one is exported. */
int walk_through_stripped(struct walk* walk);

#endif
