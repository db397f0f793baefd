/* run: -c @once@ */
/* what belongs in the place of the name is said */
pid$target::-:entry
{
	exit(0);
}
