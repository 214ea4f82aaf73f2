/* The library without symbols: what lies between its one exported function and the program has no names. */
#include "fakes/stack_walk.h"

static OPAQUE int inner(struct walk* walk) { return NEXT(walk) + 1; }
static OPAQUE int middle(struct walk* walk) {
  volatile int keep = 3;
  return RETURNED(inner(walk)) + keep;
}
__attribute__((visibility("default"))) int walk_through_stripped(struct walk* walk) {
  return RETURNED(middle(walk)) + 2;
}
/* Neighbours, so that a wrong nearest name is there to be taken. */
__attribute__((visibility("default"))) int walk_neighbour(struct walk* walk) { return (int)walk->id; }
