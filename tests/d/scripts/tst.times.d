/* SPDX-License-Identifier: MIT */
/* times differ; that they add up does not */
/* run: -c @shop@ */
BEGIN
{
	longest = 0;
}

pid$target:a.out:serve:entry
{
	self->ts = timestamp;
}

pid$target:a.out:serve:return
/self->ts/
{
	this->elapsed = timestamp - self->ts;
	total += this->elapsed;
	longest = this->elapsed > longest ? this->elapsed : longest;
	n++;
	self->ts = 0;
}

END
{
	printf("%d calls, %s\n", n,
	    longest > 0 && total >= longest && total <= n * longest ? "plausible" : "wrong");
}
