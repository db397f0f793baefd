# SPDX-License-Identifier: MIT
# cmake -C tests/presets/debug.cmake -S . -B build-debug -G Ninja
# Sanitizers, and limits so small that tests meet the edges.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "build type")
set(DTRACE_SANITIZE ON CACHE BOOL "build with the address and undefined sanitizers")
set(DTRACE_SMALL_LIMITS ON CACHE BOOL "shrink limits to meet their edges")
set(DTRACE_WERROR ON CACHE BOOL "treat warnings as errors")
