/* run: -c @typed@ */
/* a string of the target compares with a string, is assigned to one, is a branch of ?: */
string s;
string a[string];

pid$target:a.out:take_item:entry
{
	printf("%d %d\n", args[0]->name == "first", "first" == args[0]->name);
	printf("%d %d\n", args[0]->name != "first", args[0]->name < "second");
	s = args[0]->name;
	self->s = "";
	self->s = args[0]->next->name;
	a["k"] = args[0]->name;
	printf("%s %s %s\n", s, self->s, a["k"]);
	printf("%s\n", args[2] < 0 ? args[0]->name : "none");
	printf("%s\n", args[2] > 0 ? args[0]->name : "none");
	b["first"] = 4;
	printf("%d\n", b[args[0]->name]);
	@[args[0]->name == s ? "same" : "other"] = count();
}
