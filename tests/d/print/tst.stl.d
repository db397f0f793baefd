/* run: -x printstl -c @stl@ */
/* Strings, vectors, optionals and smart pointers of C++, and what they contain. */
pid$target:a.out:text:entry
{
	print(*args[0]);
	print(args[1]);
	printf("%s|%s\n", stringof(args[0]), stringof(args[1]));
}

pid$target:a.out:moved:entry
{
	this->copy = args[0];
	print(args[0]);
	printf("%s %d\n", stringof(this->copy) == stringof(args[0]) ? "same" : "differs",
	    strlen(stringof(args[0])));
	@[stringof(args[0])] = count();
}

pid$target:a.out:numbers:entry
{
	print(*args[0]);
	print(*args[1]);
}

pid$target:a.out:nested:entry
{
	print(*args[0]);
}

pid$target:a.out:maybe:entry,
pid$target:a.out:owners:entry
{
	print(*args[0]);
	print(*args[1]);
	print(*args[2]);
}

pid$target:a.out:whole:entry
{
	print(*args[0]);
}
