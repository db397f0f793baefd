/* SPDX-License-Identifier: MIT */
BEGIN { @a["s"] = count(); printa("%d", @a); exit(0); }
