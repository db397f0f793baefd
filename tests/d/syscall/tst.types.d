/* args[] have the types of the manual; pointers lead into the program */
/* run: -x evaltime=exec -c @once@ */
/* Debian's valgrind has the loader look in /usr/lib/debug first, where no libc.so.6 is. */
syscall::openat:entry /args[0] == -100 && strstr(copyinstr((uintptr_t)args[1]), "libc") != NULL &&
    strstr(copyinstr((uintptr_t)args[1]), "/debug/") == NULL/
{
	printf("%c %d %d\n", args[1][0], sizeof(args[0]), sizeof(args[1]));
	self->is_libc = 1;
}
syscall::openat:return /self->is_libc/ { printf("%d\n", args[0] == args[1] && args[0] >= 0); }
syscall::read:entry /self->is_libc/ { printf("%d %d\n", args[0] >= 0, sizeof(args[2])); }
syscall::read:return /self->is_libc/
{
	printf("%d %d\n", args[0] > 0, sizeof(args[1]));
	self->is_libc = 0;
}
