/* SPDX-License-Identifier: MIT */
/* Floating-point arguments and results, in registers and on the stack. */
#include "../truth.h"

typedef struct {
	double re, im;
} pair_t;

KEEP double scale(double x, int n, float y)
{
	return x * n + (double)y;
}

KEEP float half(float x)
{
	return x / 2;
}

/* Registers end after eight, wherever integers stand between them. */
KEEP double many(double a, float b, double c, double d, long n, double e, double f,
		 double g, double h, float i, double j)
{
	return a + (double)b + c + d + e + f + g + h + (double)i + j + (double)n;
}

KEEP double struct_between(double a, pair_t p, double b)
{
	return a + p.re * p.im + b;
}

KEEP double complex_between(double _Complex z, float _Complex w, double b)
{
	return __real__ z + (double)__imag__ w + b;
}

KEEP long double extended(long double x)
{
	return x + 1;
}

int main(void)
{
	pair_t p = {2, 3};
	double sum = scale(1.5, 3, 0.25F) + (double)half(-7);

	sum += many(1, 2, 3, 4, 99, 5, 6, 7, 8, 9.5F, -10.25);
	sum += struct_between(1.25, p, 2.5) + complex_between(1, 2, 3.5);
	sum += (double)extended(4);
	return sum == 0;
}
