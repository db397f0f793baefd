/* SPDX-License-Identifier: MIT */
BEGIN { @a = count(); printa("%@d", @a, 5); exit(0); }
