/* a userland pointer stays one in variables, casts and arithmetic */
/* run: -c @records@ */
struct record { int n; char name[8]; char *text; struct record *next; };
userland struct record *declared;
self userland char *text;

pid$target:a.out:visit:entry
{
	declared = (userland struct record *)arg0;
	self->text = declared->text;
	made = declared + 1;
	this->name = (userland char *)declared + 4;
	names[0] = declared->name;
	printf("%d %d\n", declared->n, (made - 1)->n);
	printf("%s %s %s\n", self->text, this->name, names[0]);
	printf("%c%c\n", *self->text, this->name[1]);
	printf("%d\n", self->text == NULL ? 1 : *(userland int *)declared);
	printf("%s\n", (declared->n < 0 ? self->text : names[0]) + 2);
	printf("%d\n", strlen(stringof (self->text)));
	exit(0);
}
