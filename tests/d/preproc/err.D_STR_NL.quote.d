/* run: -C */
BEGIN { x = "a
}
