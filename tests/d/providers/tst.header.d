/* the C header: one macro for each probe, and one that asks whether it is enabled */
/* command: -h -s @file@ -o @tmp@/out */
provider myapp {
	probe go(int, char *);
	probe log__msg(string text, userland int *n);
	probe none();
	probe more(float, double, int8_t, uint16_t, long, size_t, double, short);
};
provider other { probe one(void); };
