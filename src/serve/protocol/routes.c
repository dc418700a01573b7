/* routes.c: the table of routes. src/serve/protocol/openapi.json describes the same ones. */
#include "serve/protocol/routes.h"

#include "serve/assets.h"
#include "serve/protocol/tokens.h"

#include <stdio.h>
#include <string.h>

static const serve_asset openapi = {"application/json", serve_asset_openapi_json,
                                    &serve_asset_openapi_json_bytes};
static const serve_asset page = {"text/html; charset=utf-8", serve_asset_dashboard_html,
                                 &serve_asset_dashboard_html_bytes};
static const serve_asset style = {"text/css; charset=utf-8", serve_asset_dashboard_css,
                                  &serve_asset_dashboard_css_bytes};
static const serve_asset script = {"text/javascript; charset=utf-8", serve_asset_dashboard_js,
                                   &serve_asset_dashboard_js_bytes};

#define EXPERIMENT "/v1/experiments/*"

const serve_route serve_routes[] = {
    {"POST", EXPERIMENT "/decisions", SERVE_ROUTE_JOB, SERVE_MAY_DECIDE, &serve_job_decide,
     serve_body_decide, NULL},
    {"POST", "/v1/rewards", SERVE_ROUTE_JOB, SERVE_MAY_DECIDE, &serve_job_reward,
     serve_body_rewards, NULL},
    {"GET", EXPERIMENT, SERVE_ROUTE_JOB, SERVE_MAY_READ, &serve_job_show, serve_body_empty, NULL},
    {"DELETE", EXPERIMENT, SERVE_ROUTE_JOB, SERVE_MAY_ADMIN, &serve_job_delete, serve_body_empty,
     NULL},
    {"GET", EXPERIMENT "/curve", SERVE_ROUTE_JOB, SERVE_MAY_READ, &serve_job_curve,
     serve_body_empty, NULL},
    {"GET", EXPERIMENT "/export.csv", SERVE_ROUTE_EXPORT, SERVE_MAY_READ, NULL, NULL, NULL},
    {"POST", EXPERIMENT "/pause", SERVE_ROUTE_JOB, SERVE_MAY_ADMIN, &serve_job_pause,
     serve_body_empty, NULL},
    {"POST", EXPERIMENT "/resume", SERVE_ROUTE_JOB, SERVE_MAY_ADMIN, &serve_job_resume,
     serve_body_empty, NULL},
    {"POST", EXPERIMENT "/arms", SERVE_ROUTE_JOB, SERVE_MAY_ADMIN, &serve_job_arm, serve_body_arms,
     NULL},
    {"GET", "/v1/experiments", SERVE_ROUTE_JOB, SERVE_MAY_READ, &serve_job_list, serve_body_empty,
     NULL},
    {"POST", "/v1/experiments", SERVE_ROUTE_JOB, SERVE_MAY_ADMIN, &serve_job_create,
     serve_body_create, NULL},
    {"GET", "/healthz", SERVE_ROUTE_HEALTH, 0, NULL, NULL, NULL},
    {"GET", "/readyz", SERVE_ROUTE_READY, 0, NULL, NULL, NULL},
    {"GET", "/metrics", SERVE_ROUTE_METRICS, SERVE_MAY_READ, NULL, NULL, NULL},
    {"GET", "/openapi.json", SERVE_ROUTE_ASSET, 0, NULL, NULL, &openapi},
    {"GET", "/", SERVE_ROUTE_ASSET, 0, NULL, NULL, &page},
    {"GET", "/dashboard.css", SERVE_ROUTE_ASSET, 0, NULL, NULL, &style},
    {"GET", "/dashboard.js", SERVE_ROUTE_ASSET, 0, NULL, NULL, &script},
};
const size_t serve_route_count = sizeof serve_routes / sizeof serve_routes[0];

static bool matches(const char *pattern, const char *path, char *id) {
    const char *star = strchr(pattern, '*');
    id[0] = '\0';
    if (star == NULL) {
        return strcmp(pattern, path) == 0;
    }
    const size_t before = (size_t)(star - pattern);
    if (strncmp(pattern, path, before) != 0) {
        return false;
    }
    /* Any element is an id here; one that cannot exist is a 404 like one that does not. */
    const size_t length = strcspn(path + before, "/");
    if (length == 0 || strcmp(star + 1, path + before + length) != 0) {
        return false;
    }
    if (length < SERVE_ID_SIZE) {
        memcpy(id, path + before, length);
        id[length] = '\0';
    } else {
        (void)snprintf(id, SERVE_ID_SIZE, "?");
    }
    return true;
}

const serve_route *serve_route_find(const char *method, const char *path, char *id, char *allowed,
                                    size_t room) {
    const char *wanted = strcmp(method, "HEAD") == 0 ? "GET" : method;
    size_t used = 0;
    allowed[0] = '\0';
    for (size_t i = 0; i < serve_route_count; i++) {
        const serve_route *route = &serve_routes[i];
        if (!matches(route->path, path, id)) {
            continue;
        }
        if (strcmp(route->method, wanted) == 0) {
            return route;
        }
        const int added =
            snprintf(allowed + used, room - used, "%s%s", used > 0 ? ", " : "", route->method);
        used += added > 0 && (size_t)added < room - used ? (size_t)added : 0;
    }
    return NULL;
}
