# SPDX-License-Identifier: MIT
"""What tests cannot run on this machine, and which Debian package changes that.

tests/programs.txt lists the programs that tests need. cmake writes the file left_out into
the folder of built test programs (tests/targets): a line "NAME PROGRAM" for each of them
that is not built because PROGRAM is missing.
"""
import os
import shutil

STATUS = 77  # exit status of a skipped test
HERE = os.path.dirname(os.path.abspath(__file__))


def package(program):
    """The Debian package of a program of the list; None for another program."""
    with open(os.path.join(HERE, 'programs.txt'), encoding='utf-8') as table:
        for line in table:
            words = line.split()
            if words and words[0] == program:
                return words[1]
    return None


def which(program):
    return shutil.which(program, path=os.environ.get('PATH', '') + ':/usr/sbin:/sbin')


def reason(program):
    return 'no %s: apt-get install %s' % (program, package(program) or program)


def target(folder, name):
    """Why a test program is not built; None if it is."""
    try:
        with open(os.path.join(folder, 'left_out'), encoding='utf-8') as f:
            missing = dict(line.split() for line in f)
    except FileNotFoundError:
        return None
    return reason(missing[name]) if name in missing else None
