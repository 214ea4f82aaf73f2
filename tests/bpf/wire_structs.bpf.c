/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * Every struct of wire.h as the BPF compiler lays it out, for wire_test.cc. A program's BTF has the types of its maps
 * and of its functions' parameters, so a record that is only written to a ring is in no object that is loaded. Compiled
 * with the flags of those; never loaded.
 */
#include "wire.h"

#define STRUCT(name) struct name* layout_of_##name;
#define FIELD(owner, name)
#include "wire_structs.def"
