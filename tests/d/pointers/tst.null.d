/* reading through a pointer to nothing faults */
struct s { int a; struct s *next; };
struct s *p;

BEGIN
{
	printf("before\n");
	trace(p->next->a);
	printf("not reached\n");
}

ERROR
{
	printf("fault %d at %x\n", arg4, arg5);
	exit(0);
}
