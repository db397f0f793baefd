/* SPDX-License-Identifier: MIT */
BEGIN { clear(@a); exit(0); }
END { @b = count(); }
