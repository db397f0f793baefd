# SPDX-License-Identifier: MIT
# cmake -C tests/presets/release.cmake -S . -B build -G Ninja
set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "build type")
set(DTRACE_WERROR ON CACHE BOOL "treat warnings as errors")
