/* SPDX-License-Identifier: MIT */
/* 65536 of them */
/* run: -C */
#define H(p) int p##0; int p##1; int p##2; int p##3; int p##4; int p##5; int p##6; int p##7; \
	int p##8; int p##9; int p##a; int p##b; int p##c; int p##d; int p##e; int p##f;
#define G(p) H(p##0) H(p##1) H(p##2) H(p##3) H(p##4) H(p##5) H(p##6) H(p##7) \
	H(p##8) H(p##9) H(p##a) H(p##b) H(p##c) H(p##d) H(p##e) H(p##f)
#define F(p) G(p##0) G(p##1) G(p##2) G(p##3) G(p##4) G(p##5) G(p##6) G(p##7) \
	G(p##8) G(p##9) G(p##a) G(p##b) G(p##c) G(p##d) G(p##e) G(p##f)
F(x0) F(x1) F(x2) F(x3) F(x4) F(x5) F(x6) F(x7)
F(x8) F(x9) F(xa) F(xb) F(xc) F(xd) F(xe) F(xf)
BEGIN { exit(0); }
