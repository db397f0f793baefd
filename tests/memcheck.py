# SPDX-License-Identifier: MIT
"""valgrind's memcheck around a command: what to put before it, and what it found."""
import os
import re

SUPPRESSIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'valgrind.supp')

# That valgrind does not know pidfd_open(2), futex_waitv(2), and openat2(2), which only
# users other than root get to, is no finding: they fail as in old kernels.
UNKNOWN_CALL = re.compile(
    r'--\d+-- WARNING: unhandled amd64-linux syscall: (?:43[47]|449)\n(?:--\d+-- .*\n){4}')


def prefix(report):
    """The words before a command whose findings go to the file report; the processes that
    it starts run outside of valgrind."""
    return ['valgrind', '--quiet', '--leak-check=full', '--show-leak-kinds=definite,indirect',
            '--errors-for-leak-kinds=definite,indirect', '--error-exitcode=99',
            '--trace-children=no', '--child-silent-after-fork=yes',
            '--suppressions=' + SUPPRESSIONS, '--log-file=' + report]


def findings(report):
    """What is in the report: nothing if all is well."""
    with open(report, encoding='utf-8', errors='replace') as f:
        return UNKNOWN_CALL.sub('', f.read())
