"""GET /openapi.json describes every route: each is there, answers as it says, and there are no others."""

import json
import re
import sys

from service import SOURCE, run_claims, running

# What is asked of each operation; {experiment} is one that exists, {decision} one of its decisions.
REQUESTS = {
    "listExperiments": [(200, None)],
    "createExperiment": [(201, {"name": "x", "choices": {"a": 1, "b": 2}}), (400, {"name": "x"})],
    "showExperiment": [(200, None)],
    "decide": [(200, {}), (200, None), (200, {"count": 3, "segment": "s", "candidates": ["a"], "request_id": "r"}),
               (400, {"count": 0})],
    "reward": [(200, {"rewards": [{"decision_id": "{decision}", "reward": 1}]}),
               (409, {"rewards": [{"decision_id": "{decision}", "reward": 0}]}), (400, {})],
    "curve": [(200, None)],
    "export": [(200, None)],
    "changeArms": [(200, {"add": "new", "choices": 3}), (200, {"retire": "new"}), (200, {"restore": "new"}), (400, {}),
                   (409, {"add": "new"})],
    "pause": [(200, None)],
    "resume": [(200, {})],
    "health": [(200, None)],
    "ready": [(200, None)],
    "metrics": [(200, None)],
    "openapi": [(200, None)],
    "dashboard": [(200, None)],
    "dashboardStyle": [(200, None)],
    "dashboardScript": [(200, None)],
    "deleteExperiment": [(200, None), (404, None)],
}


def matches(value, schema, document):
    """A little of JSON Schema: as much as the document uses."""
    if "$ref" in schema:
        part = document
        for name in schema["$ref"].removeprefix("#/").split("/"):
            part = part[name]
        return matches(value, part, document)
    for part in schema.get("allOf", ()):
        assert matches(value, part, document)
    if "enum" in schema:
        assert value in schema["enum"], (value, schema)
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
             "null": type(None)}
    wanted = schema.get("type", [])
    wanted = [wanted] if isinstance(wanted, str) else wanted
    assert not wanted or any(isinstance(value, kinds[kind]) for kind in wanted), (value, schema)
    if isinstance(value, dict):
        known = schema.get("properties", {})
        assert set(schema.get("required", ())) <= set(value), (value, schema)
        assert schema.get("additionalProperties", True) or set(value) <= set(known), (value, schema)
        for key in set(value) & set(known):
            matches(value[key], known[key], document)
    if isinstance(value, list) and "items" in schema:
        for item in value:
            matches(item, schema["items"], document)
    return True


def claim_every_operation_answers_as_the_document_says():
    with running() as service:
        document = service.good("GET", "/openapi.json")
        assert document["openapi"].startswith("3.1")
        operations = {operation["operationId"]: (method.upper(), path, operation)
                      for path, item in document["paths"].items()
                      for method, operation in item.items() if method != "parameters"}
        assert set(operations) == set(REQUESTS)
        experiment = service.create()
        decision = service.decide(experiment)[0]["decision_id"]
        for name, asked in REQUESTS.items():
            method, path, operation = operations[name]
            for status, body in asked:
                text = None if body is None else json.dumps(body).replace("{decision}", decision)
                found, answer = service.ask(method, path.replace("{experiment}", experiment), text)
                assert found == status, (name, body, found, answer)
                told = operation["responses"][str(status)]["content"]
                kind = service.headers["Content-Type"].partition(";")[0]
                assert kind in told, (name, kind)
                if kind == "application/json" and name != "openapi":
                    matches(answer, told[kind]["schema"], document)


def claim_the_document_has_every_route_of_the_program_and_no_other():
    table = (SOURCE / "src/serve/protocol/routes.c").read_text()
    routes = {(method, path.replace("*", "{experiment}")) for method, first, path in
              re.findall(r'\{"(GET|POST|DELETE)",\s*(EXPERIMENT)?\s*(?:"([^"]*)")?,', table)
              for path in [("/v1/experiments/*" if first else "") + path]}
    document = json.loads((SOURCE / "src/serve/protocol/openapi.json").read_text())
    told = {(method.upper(), path) for path, item in document["paths"].items() for method in item
            if method != "parameters"}
    assert routes == told, routes ^ told


def claim_references_of_the_document_exist():
    text = (SOURCE / "src/serve/protocol/openapi.json").read_text()
    document = json.loads(text)
    for reference in set(re.findall(r'"\$ref": "#/([^"]+)"', text)):
        part = document
        for name in reference.split("/"):
            part = part[name]


if __name__ == "__main__":
    run_claims(sys.modules[__name__])
