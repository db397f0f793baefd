/* one is a drop */
/* run: -x aggsize=1 */
BEGIN { @["x"] = quantize(1); exit(0); }
