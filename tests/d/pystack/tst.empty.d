/* a program that runs no Python has no frames of it; as a statement it is traced */
/* run: -q -c @once@ */
pid$target:a.out:f:entry
{
	printf("[%s] [%s] %d", pystack(), pystack(2), strlen(pystack()));
	pystack();
	exit(0);
}
