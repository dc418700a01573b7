/* serve.c: experior serve: decisions over HTTP. */
#include "service.h"

static int run(const cli_arguments *arguments) {
    return cli_service_run(arguments, NULL);
}

const cli_command cli_command_serve = {
    .name = "serve",
    .order = 21,
    .summary = "serve decisions over HTTP, with durable state and a dashboard",
    .description =
        "Answers requests for decisions and takes their rewards, over HTTP with JSON. "
        "Experiments, decisions and rewards are kept in the store; what was acknowledged survives "
        "a crash of the process or the machine. GET /openapi.json describes the interface, / is "
        "the dashboard. On SIGTERM it answers the requests in progress and exits.",
    .options =
        {{.name = "listen",
          .kind = CLI_TEXT,
          .value = "HOST:PORT",
          .standard = "127.0.0.1:8080",
          .summary = "address to listen on; port 0 takes any free one"},
         {.name = "store",
          .kind = CLI_TEXT,
          .value = "PLACE",
          .required = true,
          .summary =
              "SQLite file, created if it does not exist; or postgresql://USER@HOST/DATABASE, "
              "which several instances may share"},
         {.name = "no-auth",
          .kind = CLI_FLAG,
          .summary = "ask for no tokens; on loopback addresses only"},
         {.name = "sync",
          .kind = CLI_CHOICE,
          .value = "WORD",
          .choices = "full|normal|off",
          .standard = "full",
          .summary = "what survives a power failure: everything that was acknowledged (full), all "
                     "but the last moments (normal), nothing for certain (off)"},
         {.name = "max-body",
          .kind = CLI_INTEGER,
          .value = "BYTES",
          .standard = "1048576",
          .low = 1024,
          .high = 1e9,
          .summary = "largest body of a request"},
         {.name = "rate",
          .kind = CLI_REAL,
          .value = "N",
          .standard = "0",
          .low = 0,
          .high = 1e9,
          .summary = "requests per second per token, or per address without tokens; 0 for "
                     "no limit"},
         {.name = "connections",
          .kind = CLI_INTEGER,
          .value = "N",
          .standard = "1024",
          .low = 1,
          .high = 100000,
          .summary = "connections at once; others are refused"},
         {.name = "threads",
          .kind = CLI_INTEGER,
          .value = "N",
          .standard = "2",
          .low = 1,
          .high = 64,
          .summary = "threads that handle HTTP"},
         {.name = "timeout",
          .kind = CLI_INTEGER,
          .value = "SECONDS",
          .standard = "30",
          .low = 1,
          .high = 3600,
          .summary = "time for a request to arrive"},
         {.name = "log-requests",
          .kind = CLI_FLAG,
          .summary = "log every request, not only what fails"}},
    .examples = {{"experior serve --listen 127.0.0.1:8080 --store decisions.db --no-auth",
                  "on this machine alone"},
                 {"experior serve --listen 127.0.0.1:8080 --store decisions.db",
                  "behind a proxy with TLS, for clients with tokens"}},
    .run = run,
};
