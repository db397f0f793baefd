/* SPDX-License-Identifier: MIT */
/*
 * patched HOW [END]: two functions begin with an instruction that has an operand of four
 * bytes. Each is called three times; then the operands are written, and nothing else; and
 * each is called three times again. Each result is checked. How they are written:
 *
 *	protect		the page is made writable, and executable again, by mprotect()
 *	writable	it is both from then on
 *	early		it is both from before main()
 *	same		as protect, but with the operands that they have
 *	raw		as protect, by system calls of its own
 *	memory		through /proc/self/mem
 *
 * END is how the program ends: return, or what a C library does not see: exit, kill, exec.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096

__asm__(".pushsection .patched, \"ax\", @progbits\n"
	".balign 4096\n"
	".macro function name\n"
	".balign 16, 0xcc\n"
	".globl \\name\n"
	".type \\name, @function\n"
	"\\name:\n"
	".cfi_startproc\n"
	".endm\n"
	".macro end name\n"
	"	ret\n"
	".cfi_endproc\n"
	".size \\name, . - \\name\n"
	".endm\n"
	"function value\n"
	"	mov $100, %eax\n"
	"end value\n"
	"function caller\n"
	"	call first\n"
	"end caller\n"
	"function first\n"
	"	mov $100, %eax\n"
	"end first\n"
	"function second\n"
	"	mov $200, %eax\n"
	"end second\n"
	".balign 4096, 0xcc\n"
	".popsection\n");
extern unsigned char value[], caller[], first[], second[];

/* No address inside them is to be found in the program: it would look like a branch's. */
static unsigned char *volatile at_value = value, *volatile at_caller = caller;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void call(const unsigned char *at, int expected)
{
	int (*f)(void) = (int (*)(void))(uintptr_t)at;

	for (int i = 0; i < 3; i++)
		if (f() != expected) {
			printf("call %d: %d, not %d\n", i, f(), expected);
			exit(1);
		}
}

static void write_operands(const int32_t words[2])
{
	memcpy(at_value + 1, &words[0], sizeof(words[0]));
	memcpy(at_caller + 1, &words[1], sizeof(words[1]));
}

static void protect(int protection)
{
	if (mprotect(value, PAGE, protection))
		die("mprotect");
}

static void protect_raw(int protection)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_mprotect), "D"(value), "S"((long)PAGE),
			   "d"((long)protection)
			 : "rcx", "r11", "memory");
	if (result)
		die("mprotect");
}

static void write_through_file(const int32_t words[2])
{
	int file = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	if (pwrite(file, &words[0], 4, (off_t)(uintptr_t)(at_value + 1)) != 4 ||
	    pwrite(file, &words[1], 4, (off_t)(uintptr_t)(at_caller + 1)) != 4)
		die("/proc/self/mem");
	close(file);
}

static void patch(const char *how, const int32_t words[2])
{
	if (strcmp(how, "protect") == 0 || strcmp(how, "same") == 0) {
		protect(PROT_READ | PROT_WRITE);
		write_operands(words);
		protect(PROT_READ | PROT_EXEC);
	} else if (strcmp(how, "writable") == 0) {
		protect(PROT_READ | PROT_WRITE | PROT_EXEC);
		write_operands(words);
	} else if (strcmp(how, "early") == 0) {
		write_operands(words);
	} else if (strcmp(how, "raw") == 0) {
		protect_raw(PROT_READ | PROT_WRITE);
		write_operands(words);
		protect_raw(PROT_READ | PROT_EXEC);
		usleep(2000); /* it is not seen at once */
	} else if (strcmp(how, "memory") == 0) {
		write_through_file(words);
		usleep(2000);
	} else {
		exit(2);
	}
}

/* The C library gives constructors what it gives main(). */
__attribute__((constructor)) static void begin(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "early") == 0)
		protect(PROT_READ | PROT_WRITE | PROT_EXEC);
}

static void end(const char *how)
{
	if (strcmp(how, "exit") == 0)
		__asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(0L));
	if (strcmp(how, "kill") == 0)
		kill(getpid(), SIGKILL);
	if (strcmp(how, "exec") == 0)
		execl("/bin/true", "true", (char *)NULL);
}

int main(int argc, char **argv)
{
	const bool is_same = argc > 1 && strcmp(argv[1], "same") == 0;
	const int result = is_same ? 100 : 200;
	const unsigned char *callee = is_same ? first : second;
	const int32_t words[2] = {result, (int32_t)(callee - (at_caller + 5))};

	if (argc < 2)
		return 2;
	call(value, 100);
	call(caller, 100);
	patch(argv[1], words);
	call(value, result);
	call(caller, result);
	printf("%s done\n", argv[1]);
	fflush(stdout);
	end(argc > 2 ? argv[2] : "return");
	return 0;
}
