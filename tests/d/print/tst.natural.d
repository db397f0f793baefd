/* run: -x printnatural -c @containers@ */
/* Integers in decimal with their sign, characters and truth values as such. */
pid$target:a.out:take_naturals:entry
{
	print(*args[0]);
	print(args[1]);
	print(arg1);
	print("a \"text\"");
	setopt("printnatural", "no");
	print(args[1]);
	print(args[0]->below);
}
