/* run: -c @typed@ */
/* named by the process a type leads into it, by an object it is only a type */
pid$target:a.out:move_point:entry
{
	this->p = (struct pid`point *)arg0;
	printf("%d %d", this->p->x, ((userland struct a.out`point *)arg0)->y);
	printf(" %d\n", ((struct typed`point *)copyin(arg0, sizeof (struct a.out`point)))->x);
	printf("%d\n", ((struct point *)copyin(arg0, 8))->y);
}
