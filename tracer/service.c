/* SPDX-License-Identifier: MIT */
#include "tracer/service.h"
#include "tracer/sites.h"
#include "tracer/trace.h"

static struct service of_plan(const struct hook_plan *plan)
{
	static const char *const tactics[] = {
		[HOOK_JMP] = "jump",
		[HOOK_JMP_SHORT] = "short jump",
		[HOOK_JMP_PUN] = "punned jump",
		[HOOK_CALL] = "retargeted call",
		[HOOK_BREAKPOINT] = "breakpoint",
		[HOOK_REFUSED] = "refused",
	};

	return (struct service){
		tactics[plan->tactic],
		plan->reason == HOOK_REASON_NONE ? "" : hook_reason_text(plan->reason)};
}

/* Of a site that could take a jump if the planner had its way. */
static struct service of_fpid(const struct tracer *t, const struct target *target,
			      const struct target_pending *site)
{
	const uint32_t plan = site->site.plan;

	if (!plan)
		return (struct service){"breakpoint", "it is in no function"};
	if (target->no_jumps == KEEPER_REASON_GS_USED)
		return (struct service){"breakpoint",
					sites_reason_text(target->no_jumps)};
	if (!sites_can_be_resident(t, site->site.probe))
		return (struct service){"breakpoint", "a clause needs what only the "
						      "keeper knows"};
	return of_plan(&target->plans.data[plan - 1]);
}

struct service service_of(const struct tracer *t, const struct target *target,
			  const struct target_pending *site,
			  const struct keeper_site *sent)
{
	const struct probe *p = probes_get(&t->probes, site->site.probe);
	struct service s = {"breakpoint", ""};

	if (p->provider == &prov_fpid)
		s = of_fpid(t, target, site);
	if (!sent || sent->result == KEEPER_SITE_JUMP)
		return s;
	if (sent->result == KEEPER_SITE_REFUSED)
		return (struct service){"refused", sites_reason_text(sent->reason)};
	s.tactic = "breakpoint";
	if (sent->reason != KEEPER_REASON_NONE) /* a jump was planned */
		s.reason = sites_reason_text(sent->reason);
	return s;
}
