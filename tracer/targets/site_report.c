/* SPDX-License-Identifier: MIT */
#include "tracer/targets/site_report.h"
#include "tracer/output/out.h"
#include "tracer/targets/pending_sites.h"

#include <string.h>

#define NOTICES_MAX 8

const char *site_report_reason(unsigned reason)
{
	static const char *const reasons[] = {
#define REASON_TEXT(name, text) text,
		KEEPER_REASONS(REASON_TEXT)
#undef REASON_TEXT
	};

	return reason < ARRAY_LEN(reasons) ? reasons[reason] : "";
}

static struct site_report of_plan(const struct hook_plan *plan)
{
	static const char *const tactics[] = {
		[HOOK_JMP] = "jump",
		[HOOK_JMP_SHORT] = "short jump",
		[HOOK_JMP_PUN] = "punned jump",
		[HOOK_JMP_CHAIN] = "chained jumps",
		[HOOK_CALL] = "retargeted call",
		[HOOK_BREAKPOINT] = "breakpoint",
		[HOOK_REFUSED] = "refused",
	};

	return (struct site_report){
		tactics[plan->tactic],
		plan->reason == HOOK_REASON_NONE ? "" : hook_reason_text(plan->reason)};
}

/* A site that may take a jump, as it was planned. */
static struct site_report of_fpid(const struct tracer *t, const struct target *target,
				  const struct target_pending *site)
{
	const uint32_t plan = site->site.plan;

	if (probes_get(&t->probes, site->site.probe)->is_generated)
		return (struct site_report){"breakpoint", "its code may be moved"};
	if (!plan)
		return (struct site_report){"breakpoint", "it is in no function"};
	if (target->no_jumps == KEEPER_REASON_GS_USED ||
	    target->no_jumps == KEEPER_REASON_DOMAIN)
		return (struct site_report){"breakpoint",
					    site_report_reason(target->no_jumps)};
	if (!pending_sites_can_jump(t, &site->site))
		return (struct site_report){"breakpoint",
					    "a clause needs what only the "
					    "keeper knows"};
	return of_plan(&target->plans.data[plan - 1]);
}

struct site_report site_report_of(const struct tracer *t, const struct target *target,
				  const struct target_pending *site,
				  const struct keeper_site *sent)
{
	const struct probe *p = probes_get(&t->probes, site->site.probe);
	struct site_report s = {"breakpoint", ""};

	if (site->site.result == KEEPER_SITE_REFUSED)
		return (struct site_report){"refused",
					    site_report_reason(site->site.reason)};
	if (p->provider->takes_jumps)
		s = of_fpid(t, target, site);
	if (!sent || sent->result == KEEPER_SITE_DETOUR)
		return s;
	if (sent->result == KEEPER_SITE_REFUSED)
		return (struct site_report){"refused",
					    site_report_reason(sent->reason)};
	s.tactic = "breakpoint";
	if (sent->reason != KEEPER_REASON_NONE) /* a jump was planned */
		s.reason = site_report_reason(sent->reason);
	return s;
}

static const char *function_of(const struct tracer *t, uint32_t probe)
{
	const struct probe *p = probes_get(&t->probes, probe + 1);

	return p ? probes_name(&t->probes, p, PROBE_FUNCTION) : "";
}

/* Whether a probe before the i-th is of the same function. */
static bool is_named(const struct tracer *t, const struct keeper_ev_changed *changed,
		     uint32_t i)
{
	const char *name = function_of(t, changed->probes[i]);

	for (uint32_t k = 0; k < i; k++)
		if (strcmp(function_of(t, changed->probes[k]), name) == 0)
			return true;
	return false;
}

void site_report_changed(const struct tracer *t, const struct target *target,
			 const struct keeper_ev_changed *changed)
{
	const uint32_t n = min_u32(changed->nprobes, KEEPER_CHANGED_MAX);
	uint32_t functions = 0;

	for (uint32_t i = 0; i < n; i++) {
		const char *name = function_of(t, changed->probes[i]);

		if (!*name || is_named(t, changed, i))
			continue;
		if (functions++ == NOTICES_MAX)
			break;
		out_notice(t->out,
			   "pid %d: the code of '%s' has changed: its probes are gone",
			   target->pid, name);
	}
	if (functions > NOTICES_MAX || changed->nprobes > n)
		out_notice(t->out, "pid %d: so are others", target->pid);
}
