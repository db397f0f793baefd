/* a string as a member has its bytes inside the struct */
struct s { string name; int after; };
struct s a[string];
struct s g;

BEGIN
{
	g.after = 7;
	g.name = "first";
	g.name = "2nd";
	printf("%s %d %d\n", g.name, g.after, sizeof (g));
	a["k"].name = g.name;
	a["k"].after++;
	printf("%s %d [%s]\n", a["k"].name, a["k"].after, a["other"].name);
	printf("%d %d\n", a["k"].name == "2nd", g.name < "3rd");
	g.name = NULL;
	printf("[%s]\n", g.name);
	exit(0);
}
