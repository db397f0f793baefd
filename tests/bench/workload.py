# SPDX-License-Identifier: MIT
"""A quarter of a second of everything that the interpreter does."""


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


SUM = fib(26)
T = sorted(str(i * 7 % 1000) + 'x' for i in range(300000))
for s in T:
    SUM += len(s.replace('7', 'yy'))
print(SUM)
