/* SPDX-License-Identifier: MIT */
/* the list is walked as far as a program without loops can: three links */
/* run: -c @shop@ */
struct item { int id; int stock; long price; char name[16]; uintptr_t next; };

pid$target:a.out:buy:entry
/i++ == 0/
{
	self->first = 1;
}

pid$target:a.out:item_new:return
{
	head = arg1;
}

pid$target:a.out:find:entry
/self->first/
{
	this->a = (struct item *)copyin(head, sizeof (struct item));
	this->b = (struct item *)copyin(this->a->next, sizeof (struct item));
	this->c = (struct item *)copyin(this->b->next, sizeof (struct item));
	printf("%s -> %s -> %s -> %d\n", this->a->name, this->b->name, this->c->name,
	    this->c->next);
	self->first = 0;
}
