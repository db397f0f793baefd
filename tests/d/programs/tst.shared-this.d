/* SPDX-License-Identifier: MIT */
/* command: -qn 'BEGIN { this->v = "here"; self->w = 2; }' -n 'BEGIN { printf("%s %d\n", this->v, self->w); exit(0); }' */
