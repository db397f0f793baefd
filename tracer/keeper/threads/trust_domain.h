/* SPDX-License-Identifier: MIT */
/*
 * Who may share D variables. Resident code maps them writable into each process with
 * detours, so a process that has them mapped can read and change what all others put
 * there. The run has one trust domain: the credentials (os/credentials.h) of the first
 * process that gets detours. Processes with other credentials get breakpoints instead
 * (KEEPER_REASON_DOMAIN). A program without such variables shares nothing: then all
 * processes may have detours.
 *
 *	first detours of a process --all threads are peers of the domain--> member
 *	member --exec, exit--> no member: the mapping has gone
 *	member --changed its credentials--> the only member: the domain changes with it
 *	                               \--> there are others: its detours are removed, its
 *	                                    mapping of the variables becomes empty memory
 *
 * A change in place can only give up privileges; gains come by exec, which ends the
 * membership. A fork child does not inherit the variables (MADV_DONTFORK), is cleaned
 * before it runs, and then judged as any process.
 */
#ifndef TRACER_KEEPER_THREADS_TRUST_DOMAIN_H
#define TRACER_KEEPER_THREADS_TRUST_DOMAIN_H

#include "tracer/keeper/threads/core.h"

#define TRUST_DOMAIN_PERIOD_MS 200 /* between two looks at the members */

/*
 * Whether the process, whose threads are all stopped, may have detours, with D variables
 * of the program mapped: NONE or KEEPER_REASON_DOMAIN.
 */
enum keeper_reason trust_domain_judge(struct keeper *k, const struct process *p);
/* It has them now: if there was no member yet, the domain begins with it. */
void trust_domain_enter(struct keeper *k, struct process *p);
/*
 * Looks at all members, if k->domain.is_due or the period is over, and removes those that
 * are peers no more. Stops of threads are handled on the way.
 */
void trust_domain_turn(struct keeper *k);
/*
 * In how many ms the next turn is needed at the latest; -1: no sooner than the next
 * request. A single member need not be watched.
 */
int trust_domain_period(const struct keeper *k);

#endif
