/* run: -x aggsortkey -x aggsortkeypos=1 */
/* from the second key on, then the first */
BEGIN { @[2, "b"] = sum(1); @[1, "b"] = sum(2); @[3, "a"] = sum(3); exit(0); }
