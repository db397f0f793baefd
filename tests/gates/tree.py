# SPDX-License-Identifier: MIT
"""The files of a source tree, without what is built or hidden; shared by the gates."""
import os
import re

# .gitignore leaves out the same folders
LEFT_OUT = re.compile(r'\.|build|__pycache__$')
C_FILES = ('.c', '.h', '.cc', '.cpp')


def files(root, *suffixes):
    """The paths, relative to root, of all files with one of these suffixes."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if not LEFT_OUT.match(f))
        for name in sorted(names):
            if name.endswith(suffixes):
                yield os.path.relpath(os.path.join(folder, name), root)


def read(root, path):
    with open(os.path.join(root, path), encoding='utf-8', errors='replace') as f:
        return f.read()
