/* SPDX-License-Identifier: MIT */
/* run: -w -c @stacks@ */
/* No string of the process leads to another directory. */
pid$target:a.out:mark:entry /arg0 == 1/ { self->s = substr("/../out", 0, 7 + (arg0 == 0)); }
pid$target:a.out:mark:entry /arg0 == 1/ { freopen("%s", self->s); freopen("x/%s", substr(self->s, 1)); }
pid$target:a.out:mark:entry /arg0 == 1/ { freopen(".%s/out", substr(self->s, 1, 1)); freopen("%c/out", (char)0x2f); }
pid$target:a.out:mark:entry /arg0 == 1/ { freopen("%s/out", substr(self->s, 0, 0)); freopen("%s%s", "/nonexistent/", substr(self->s, 4, 3)); }
