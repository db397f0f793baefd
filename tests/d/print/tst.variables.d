/* SPDX-License-Identifier: MIT */
BEGIN { x = 10; self->y = (char)'y'; a[1] = "elem"; print(x); print(self->y); print(a[1]); exit(0); }
