/* names of types are names of members, too */
struct s { int size_t; int pid_t; };
struct s s;

BEGIN
{
	s.size_t = 1;
	s.pid_t = 2;
	printf("%d %d\n", s.size_t, s.pid_t);
	exit(0);
}
