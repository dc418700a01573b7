/* model_tasks.h: who knows the tasks that are drawn from a model. */
#ifndef XP_RUN_MODEL_TASKS_H
#define XP_RUN_MODEL_TASKS_H

#include "experior/simulate.h"

/* The spec of an oracle in tasks of the model: its agent, with the settings of `spec`, as text for
 * xp__free; NULL if there is no memory. */
char *xp__oracle_spec(const xp_model *model, const char *spec);

/* Refuses an agent that takes other rewards than the tasks of the model pay. */
xp_status xp__tasks_check_agent(const xp_model *model, const xp_session *session, const char *spec,
                                xp_error *error);

#endif
