/* law.h: what evidence.c and law.c share. */
#ifndef XP_AGENT_STATES_EVIDENCE_LAW_H
#define XP_AGENT_STATES_EVIDENCE_LAW_H

#include "agent/states/evidence/evidence.h"

/* Numbers that `term` has room for. */
size_t xp__evidence_terms(size_t fixed);

#endif
