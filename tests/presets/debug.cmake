# SPDX-License-Identifier: MIT
# cmake -C tests/presets/debug.cmake -S . -B build-debug -G Ninja
# Sanitizers, limits so small that tests meet the edges, and failures made on purpose.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "build type")
set(DTRACE_SANITIZE ON CACHE BOOL "build with the address and undefined sanitizers")
set(DTRACE_SMALL_LIMITS ON CACHE BOOL "shrink limits to meet their edges")
set(DTRACE_FAULTS ON CACHE BOOL "let tests make calls of the keeper fail")
set(DTRACE_WERROR ON CACHE BOOL "treat warnings as errors")
