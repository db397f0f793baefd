/* SPDX-License-Identifier: MIT */
BEGIN { @a = count(); printf("%@d", 1); exit(0); }
