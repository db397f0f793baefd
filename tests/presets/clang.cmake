# SPDX-License-Identifier: MIT
# cmake -C tests/presets/clang.cmake -S . -B build-clang -G Ninja
set(CMAKE_C_COMPILER clang CACHE STRING "C compiler")
set(CMAKE_CXX_COMPILER clang++ CACHE STRING "C++ compiler")
set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "build type")
set(DTRACE_WERROR ON CACHE BOOL "treat warnings as errors")
