/* a tag that is completed later, and one that never is */
struct list;
struct never *n;
struct head { struct list *first; int len; };
struct list { struct list *next; int v; };
struct head h;

BEGIN
{
	h.len = 4;
	printf("%d %d %d\n", h.len, sizeof (struct list), n == NULL);
	printf("%d\n", sizeof (*h.first));
	exit(0);
}
