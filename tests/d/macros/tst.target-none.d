/* no process: $target is 0 */
BEGIN { printf("%d %s\n", $target, $$target); exit(0); }
