/* SPDX-License-Identifier: MIT */
/* reading the target's structures by hand, as scripts without types do */
/* run: -c @shop@ */
struct item {
	int id;
	int stock;
	long price;
	char name[16];
	uintptr_t next;
};

pid$target:a.out:find:return
/arg1/
{
	this->item = (struct item *)copyin(arg1, sizeof (struct item));
	printf("%d %s: %d left at %d\n", this->item->id, stringof(this->item->name),
	    this->item->stock, this->item->price);
}
