#!/bin/sh
# Opened files: -e only failures, with the reason; -f FILE only this one.
# run: -e
# (The other options are tried by the calls at the end.)

snoop()
{
	failures=0 is_file=0 file=none
	OPTIND=1
	while getopts ef: option; do
		case $option in
		e) failures=1 ;;
		f) is_file=1 file=$OPTARG ;;
		*) exit 2 ;;
		esac
	done
	$DTRACE -n '
	#pragma D option quiet
	#pragma D option switchrate=10hz

	inline int FAILURES = '$failures';
	inline int IS_FILE = '$is_file';
	inline string FILE = "'"$file"'";

	dtrace:::BEGIN
	{
		FAILURES ? printf("%-8s %4s %4s %s\n", "PROGRAM", "FD", "ERR", "PATH") :
		    printf("%-8s %4s %s\n", "PROGRAM", "FD", "PATH");
	}

	syscall::open:entry	{ self->path = arg0; }
	syscall::openat:entry	{ self->path = arg1; }

	syscall::open:return, syscall::openat:return
	/self->path && (!FAILURES || (int)arg0 < 0) &&
	    (!IS_FILE || copyinstr(self->path) == FILE)/
	{
		printf("%-8s %4d ", execname, (int)arg0 < 0 ? -1 : 3);
		FAILURES ? printf("%4d ", errno) : 1;
		printf("%s\n", copyinstr(self->path));
		@n = count();
	}

	syscall::open:return, syscall::openat:return
	/self->path/
	{
		self->path = 0;
	}

	dtrace:::END
	{
		printa("%@d\n", @n);
	}' -c "$WORK opens errors" || exit 1
}

snoop "$@" | grep -v ld.so.preload
snoop -f /dev/null
snoop -e -f absent.txt
