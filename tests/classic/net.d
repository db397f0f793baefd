#!/usr/sbin/dtrace -s
/* Connections and bytes over sockets.
 * run: -c "@errands@ net" */

#pragma D option quiet

struct my_address {
	short family;
	uint16_t port;
	uint32_t host;
};

syscall::connect:entry
{
	this->a = (struct my_address *)copyin(arg1, sizeof (struct my_address));
	@to[this->a->family == AF_INET ? inet_ntoa(&this->a->host) : "other",
	    ntohs(this->a->port) > 1023] = count();
	self->is_on = 1;
}

syscall::connect:return
/self->is_on/
{
	@result[errno] = count();
	self->is_on = 0;
}

syscall::accept*:return	{ @accepted[(int)arg0 > 2] = count(); }
syscall::sendto:return	{ @bytes["sent"] = sum(arg0); }
syscall::recvfrom:return { @bytes["received"] = sum(arg0); }
syscall::socket:entry	{ @sockets[args[0] == AF_INET, args[1]] = count(); }

dtrace:::END
{
	printa("%s port %d: %@d\n", @to);
	printa("error %d: %@d\n", @result);
	printa("accepted %d: %@d\n", @accepted);
	printa("%-8s %@d\n", @bytes);
	printa("inet %d type %d: %@d\n", @sockets);
}
