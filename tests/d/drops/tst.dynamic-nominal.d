/* run: -x dynvarsize=40 */
/* self->: the value; an element: 8 bytes, the keys and the value. Deleted ones make room */
self int64_t x, y; int a[int];
BEGIN { self->x = 1; self->y = 2; a[1] = 3; a[2] = 4; }
BEGIN { printf("%d %d %d %d\n", self->x, self->y, a[1], a[2]); }
BEGIN { self->x = 0; a[2] = 5; self->y = 0; a[2] = 6; a[3] = 7; }
BEGIN { printf("%d %d %d %d %d\n", self->x, self->y, a[1], a[2], a[3]); exit(0); }
