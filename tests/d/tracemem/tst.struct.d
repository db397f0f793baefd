/* SPDX-License-Identifier: MIT */
struct s { int a; char b; };
BEGIN { this->s = (struct s *)alloca(sizeof (struct s)); this->s->a = 0x01020304; this->s->b = 'b'; tracemem(this->s, 5); tracemem(&this->s->b, 1); exit(0); }
