/* no room for dynamic variables: counted */
/* run: -x dynvarsize=1 */
BEGIN { a[1] = 1; a[2] = 1; self->x = 1; s["k"] = "v"; exit(0); }
END { printf("%d %d %d %d\n", a[1], a[2], self->x, s["k"] == NULL); }
