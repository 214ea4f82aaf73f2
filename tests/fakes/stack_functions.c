/* Sixteen functions that each call the next of a walk, with frames of different sizes and kinds. Compiled twice, with
 * and without frame pointers; PART names which. */
#include <alloca.h>
#include <string.h>

#include "fakes/stack_walk.h"

#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)
#define NAME(n) JOIN(PART, n)
#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

/* n % 4: nothing of its own; an array; a block whose size is known at run time only; five values kept over the call. */
#define SIMPLE(n) \
  static OPAQUE int NAME(n)(struct walk * walk) { return NEXT(walk) + n; }
#define ARRAY(n)                                  \
  static OPAQUE int NAME(n)(struct walk * walk) { \
    volatile char block[64 * (n + 1)];            \
    block[n] = (char)n;                           \
    return NEXT(walk) + block[n];                 \
  }
#define DYNAMIC(n)                                      \
  static OPAQUE int NAME(n)(struct walk * walk) {       \
    volatile char* block = alloca(16 + walk->id % 100); \
    block[0] = (char)n;                                 \
    return NEXT(walk) + block[0];                       \
  }
#define KEEPING(n)                                                        \
  static OPAQUE int NAME(n)(struct walk * walk) {                         \
    volatile int seen = n;                                                \
    int a = seen, b = seen + 1, c = seen * 2, d = seen ^ 5, e = seen - 7; \
    int result = NEXT(walk);                                              \
    return result + a + b * c + (d | e);                                  \
  }

// It takes these for one declaration.
// clang-format off
SIMPLE(0) ARRAY(1) DYNAMIC(2) KEEPING(3) SIMPLE(4) ARRAY(5) DYNAMIC(6) KEEPING(7)
SIMPLE(8) ARRAY(9) DYNAMIC(10) KEEPING(11) SIMPLE(12) ARRAY(13) DYNAMIC(14) KEEPING(15)
// clang-format on

#define ENTRY(n) \
  { NAME(n), TEXT(PART) "_" #n }
        const struct named_function JOIN(PART, functions)[WALK_FUNCTIONS] = {
            ENTRY(0), ENTRY(1), ENTRY(2),  ENTRY(3),  ENTRY(4),  ENTRY(5),  ENTRY(6),  ENTRY(7),
            ENTRY(8), ENTRY(9), ENTRY(10), ENTRY(11), ENTRY(12), ENTRY(13), ENTRY(14), ENTRY(15)};
