/* SPDX-License-Identifier: MIT */
enum simpson { HOMER, MARGE, BART = 7 };
struct family { enum simpson who; int age; };
struct family f;
BEGIN { f.who = BART; f.age = 10; print(f); f.who = (enum simpson)3; print(f.who); print(HOMER); exit(0); }
