/* SPDX-License-Identifier: MIT */
BEGIN { @a = count(); system("echo %@d", 1); exit(0); }
