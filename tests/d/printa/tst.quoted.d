/* SPDX-License-Identifier: MIT */
BEGIN { @["a'b"] = count(); printa("%q %@d\n", @); exit(0); }
