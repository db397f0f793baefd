/* what cannot be read in the target faults, by its address */
/* run: -c @records@ */
struct record { int n; char name[8]; char *text; struct record *next; };
pid$target:a.out:visit:entry
{
	this->p = (userland struct record *)arg0;
	printf("%d\n", this->p->next->n);
	printf("%d\n", this->p->next->next->n);
}

ERROR
{
	printf("fault %d at %x\n", arg4, arg5);
	exit(0);
}
