/* The low halves of the vector registers, as they are, and as numbers. */
/* run: -c @floats@ */
pid$target:a.out:scale:entry { printf("%x %x\n", uvectors[0], (uint32_t)uvectors[1]); }
pid$target:a.out:scale:entry { printf("%g\n", *(double *)args_spill(uvectors[0])); }
pid$target:a.out:scale:entry { self->n = 8; }
pid$target:a.out:scale:entry { trace(uvectors[self->n]); }
