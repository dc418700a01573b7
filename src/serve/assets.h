/* assets.h: files that are part of the program (cmake/serve.cmake makes arrays of them). */
#ifndef XP_SERVE_ASSETS_H
#define XP_SERVE_ASSETS_H

#include <stddef.h>

extern const unsigned char serve_asset_openapi_json[], serve_asset_dashboard_html[],
    serve_asset_dashboard_css[], serve_asset_dashboard_js[];
extern const size_t serve_asset_openapi_json_bytes, serve_asset_dashboard_html_bytes,
    serve_asset_dashboard_css_bytes, serve_asset_dashboard_js_bytes;

#endif
