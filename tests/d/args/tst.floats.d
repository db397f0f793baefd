/* Floating-point values are where the ABI puts them. */
/* run: -c @floats@ */
pid$target:a.out:scale:entry { printf("%f %d %f\n", args[0], args[1], args[2]); }
pid$target:a.out:scale:return { printf("%g\n", args[1]); trace(args[1]); trace("\n"); }
pid$target:a.out:half:entry { printf("%e", args[0]); print(args[0]); }
pid$target:a.out:half:return { printf("%.3f\n", args[1]); }
pid$target:a.out:many:entry
{
	printf("%g %g %g %g %d %g", args[0], args[1], args[2], args[3], args[4], args[5]);
	printf(" %g %g %g %g %g\n", args[6], args[7], args[8], args[9], args[10]);
}
pid$target:a.out:many:return { printf("%f\n", args[1]); }
pid$target:a.out:struct_between:entry { printf("%g %g\n", args[0], args[2]); }
pid$target:a.out:complex_between:entry { printf("%g\n", args[2]); }
pid$target:a.out:scale:entry { self->x = args[0]; self->y = args[2]; }
pid$target:a.out:scale:return { printf("%g %g\n", self->x, self->y); }
