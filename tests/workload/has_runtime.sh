#!/bin/sh
# Exit 0 when this machine has a GPU runtime that the workload finds by itself; 1 when a package should bring one.
/sbin/ldconfig -p 2>/dev/null | grep -qE 'lib(cudart|amdhip64)\.so\.' && exit 0
ls /usr/local/cuda*/lib*/libcudart.so.* >/dev/null 2>&1
