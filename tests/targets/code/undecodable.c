/* SPDX-License-Identifier: MIT */
/*
 * Functions that end in bytes which are no instruction, as data among code is.
 * Calls the one that returns before them.
 */
#include "../truth.h"

/* 0x06 is none in 64-bit mode. */
asm(".text\n"
    ".globl data_behind\n"
    ".type data_behind, @function\n"
    "data_behind:\n"
    "	mov %edi, %eax\n"
    "	add $1, %eax\n"
    "	ret\n"
    "	.byte 0x06, 0x06, 0x06\n"
    ".size data_behind, . - data_behind\n"
    ".globl all_data\n"
    ".type all_data, @function\n"
    "all_data:\n"
    "	.byte 0x06, 0x06\n"
    ".size all_data, . - all_data\n");

int data_behind(int v);

int main(void)
{
	return data_behind(41) != 42;
}
