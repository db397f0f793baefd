/* run: -c @typed@ */
/* the program only declares struct hidden; its library defines it */
pid$target:a.out:nothing:entry
{
	printf("%d %d\n", typed_lib`hidden.secret, typed_lib`library_hidden->at.y);
	printf("%d %s\n", typed_lib`library_state.calls, stringof(typed_lib`library_state.name));
}
pid$target:a.out:take_item:entry
{
	printf("%d\n", args[0]->hidden == NULL);
	printf("%d\n", sizeof (*args[0]->hidden));
}
