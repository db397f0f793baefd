/* times between entry and return */
/* run: -c @dies@ */
pid$target:a.out:doomed:entry { self->ts = timestamp; }
pid$target:a.out:doomed:return /self->ts/ { @n = count(); @neg = sum(timestamp < self->ts); self->ts = 0; }
