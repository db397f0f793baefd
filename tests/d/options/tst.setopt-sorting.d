/* dynamic options, from the record of setopt() on */
BEGIN
{
	@[1] = sum(2); @[2] = sum(1);
	printa(@); setopt("aggsortkey"); printa(@); setopt("aggsortrev", "yes"); printa(@);
	setopt("aggsortkey", "no"); setopt("agghist"); printa(@);
	exit(0);
}
