/* album.c: see album.h. */
#include "study/album.h"

#include "base/memory.h"
#include "picture/episode_picture.h"

typedef struct album {
    xp__builder *builder;
    const xp__agent_entry *agent;
    const char *setting;
} album;

static xp_status take(void *context, const xp__record *record, xp_error *error) {
    const album *self = context;
    xp__text svg = {.data = NULL}, title = {.data = NULL};
    xp__text_format(&title, "%s, %s, episode %zu", self->agent->label, self->setting,
                    record->episode);
    xp__record_svg(record, &svg);
    const bool made = !svg.failed && !title.failed;
    if (made) {
        xp__builder_picture(self->builder, title.data, svg.data);
    }
    xp__text_deinit(&svg);
    xp__text_deinit(&title);
    return made ? XP_OK : xp__no_memory(error);
}

void xp__album_add(const xp__grid *grid, xp__builder *builder, size_t block, size_t episodes,
                   const size_t *chosen, size_t count) {
    if (builder->partial) {
        return;
    }
    const xp__unit *unit = &grid->units[grid->blocks[block].first];
    album self = {.builder = builder, .agent = unit->agent, .setting = unit->problem->setting};
    xp_error error = {.status = XP_OK};
    xp_demos *demos;
    xp__fitted fitted = {.model = NULL};
    xp_status status = xp__unit_demos(unit, grid->shape.demonstrations, 0, &demos, &error);
    if (status == XP_OK) {
        status = xp__fitted_init(&fitted, unit->agent->spec, unit->agent->settings, unit->problem,
                                 demos, NULL, &error);
    }
    if (status == XP_OK) {
        const xp__recording what = {.problem = unit->problem,
                                    .fitted = &fitted,
                                    .spec = unit->agent->spec,
                                    .episodes = episodes,
                                    .chosen = chosen,
                                    .count = count,
                                    .take = take,
                                    .context = &self};
        status = xp__record_run(&what, &error);
    }
    xp__fitted_deinit(&fitted);
    xp_demos_destroy(demos);
    builder->failed = builder->failed || status == XP_ERR_MEMORY;
    if (status != XP_OK && status != XP_ERR_MEMORY) {
        xp__builder_note(builder, "No pictures of episodes of %s: %s.", unit->agent->label,
                         error.message);
    }
}
