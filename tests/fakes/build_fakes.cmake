# Compiles what make_fakes wrote. Run with cmake -P by the fake_libraries target.
#   DIRECTORY: where libraries.txt and the sources are.   OUT: where the libraries go, in plain/, endbr/ and old/.
#   COMPILER, COMPILER_ID, INCLUDE: the C compiler and the folder above fakes/.
#   BRANCHES: the compiler option that puts a landing pad (endbr64, bti) first, or empty where there is none.
# These stand in for files a vendor compiled: the project's warnings and sanitizers do not apply to them.
file(STRINGS ${DIRECTORY}/libraries.txt lines)
# Frame pointers, and no prologue moved down a branch: every function begins with push %rbp, as the vendors' do.
set(flags -O1 -g0 -shared -fPIC -std=gnu11 -fno-omit-frame-pointer -foptimize-sibling-calls -I${INCLUDE})
if(COMPILER_ID STREQUAL "GNU")
  list(APPEND flags -fno-shrink-wrap)
endif()
foreach(line ${lines})
  string(REPLACE " " ";" parts ${line})
  list(GET parts 0 flavour)
  list(GET parts 1 soname)
  list(GET parts 2 source)
  if(flavour STREQUAL "old")
    set(folders old)
  else()
    set(folders plain endbr)
  endif()
  foreach(folder ${folders})
    set(branches "")
    if(NOT BRANCHES STREQUAL "")
      if(folder STREQUAL "endbr")
        set(branches ${BRANCHES})
      else()
        string(REGEX REPLACE "=.*" "=none" branches ${BRANCHES})
      endif()
    endif()
    file(MAKE_DIRECTORY ${OUT}/${folder})
    execute_process(
      COMMAND ${COMPILER} ${flags} ${branches} -Wl,-soname,${soname} -Wl,-Bsymbolic
              -o ${OUT}/${folder}/${soname} ${DIRECTORY}/${source}
      RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR "cannot compile ${DIRECTORY}/${source}")
    endif()
  endforeach()
endforeach()
