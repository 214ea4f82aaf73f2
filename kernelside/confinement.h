// Which system calls this process can make no more: those by which it would become another program, change another
// process, or change the machine. A program that is misled by what it reads then has no use for them.
//
// For good, for all threads of the process and those they start; processes that they fork have it too. What it sets
// belongs to the process; nothing takes it back, and no object owns it.
// Any thread.
#pragma once

#include "base/result.h"

namespace ingero::kernelside {

enum class Confined {
  kAgent,   // reads sockets and recordings; places probes
  kHelper,  // opens files and reads memory of other users: makes no connection, and no BPF programs
};
// Sets no_new_privs. Fails without harm; kNotSupported: this kernel has no such filters.
Status confine(Confined what);

}  // namespace ingero::kernelside
