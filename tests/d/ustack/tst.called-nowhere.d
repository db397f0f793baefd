/* a call of a NULL pointer, and of an address where nothing is mapped, have their callers */
/* run: -c @nowhere@ */
proc:::fault { ustack(4); }
