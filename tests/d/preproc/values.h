#ifndef VALUES_H
#define VALUES_H
#define VALUE	  40
#define SQUARE(x) ((x) * (x))
#endif
