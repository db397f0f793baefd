/* SPDX-License-Identifier: MIT */
BEGIN { @q["a"] = quantize(1); @c["a"] = count(); @c["b"] = count(); printa("%s %@d %@d\n", @c, @q); exit(0); }
