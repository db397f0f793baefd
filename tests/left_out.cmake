# SPDX-License-Identifier: MIT
# Programs and libraries of the tests that this machine does not have: a line for each at
# configure time, with the tests that are left out and the Debian package that brings them.

# find_test_programs(file): sets PROGRAM_name (go, musl_gcc ...) to the path of each program
# that the table lists, or to PROGRAM_name-NOTFOUND.
function(find_test_programs file)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
	file(STRINGS ${file} lines REGEX "^[a-z]")
	foreach(line IN LISTS lines)
		string(REGEX MATCH "^([^\t]+)\t+([^\t]+)\t+(.*)$" matched ${line})
		set(program ${CMAKE_MATCH_1})
		set(package ${CMAKE_MATCH_2})
		set(tests ${CMAKE_MATCH_3})
		string(MAKE_C_IDENTIFIER ${program} variable)
		find_program(PROGRAM_${variable} ${program})
		mark_as_advanced(PROGRAM_${variable})
		if(NOT PROGRAM_${variable})
			message(STATUS "No ${program}: the tests '${tests}' are skipped. "
				"To run them: apt-get install ${package}")
		endif()
	endforeach()
endfunction()

# left_out(test program package): a test that is shown as skipped, for those that cannot be
# registered one by one.
function(left_out test program package)
	add_test(NAME ${test} COMMAND ${CMAKE_COMMAND} -E echo
		"skipped: no ${program}: apt-get install ${package}")
	set_tests_properties(${test} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: ")
endfunction()

# find_test_library(target module package tests): as require_library, but the tests do
# without it.
function(find_test_library target module package tests)
	pkg_check_modules(${target} QUIET IMPORTED_TARGET GLOBAL ${module})
	if(NOT ${target}_FOUND)
		message(STATUS "No ${module}: the tests '${tests}' are skipped. "
			"To run them: apt-get install ${package}")
	endif()
endfunction()
