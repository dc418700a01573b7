/* dashboard.js: shows experiments as the service tells of them, and asks again every two seconds.
 *
 * Whatever comes from the service is put into the page as text, never as markup. The token is kept
 * for this tab only and is sent to this service only. */
"use strict";

const find = (id) => document.getElementById(id);
const number = (value, digits) =>
  value === null || !Number.isFinite(value) ? "–" : value.toLocaleString("en", { maximumFractionDigits: digits });
const fixed = (value, digits) => value === null || !Number.isFinite(value) ? "–" : value.toFixed(digits);
const PERIOD = 2000;
const SVG = "http://www.w3.org/2000/svg";

let token = sessionStorage.getItem("token") || "";
let chosen = location.hash.slice(1);
let timer = 0;
let drawn = null; /* the curve that is shown */
let round = 0; /* an answer to an older question is not shown */

async function ask(method, path, body) {
  const headers = {};
  if (token) headers.Authorization = "Bearer " + token;
  if (body) headers["Content-Type"] = "application/json";
  const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body), cache: "no-store" });
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => ({ error: "status " + answer.status }));
  const failure = new Error(told.error);
  failure.status = answer.status;
  throw failure;
}

function draw(name, attributes, words) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (words !== undefined) node.textContent = words;
  return node;
}

function say(words, bad) {
  find("connection").textContent = words;
  find("connection").classList.toggle("error", Boolean(bad));
}

function showList(experiments) {
  const list = find("experiments");
  find("no-experiments").hidden = experiments.length > 0;
  const focused = document.activeElement && document.activeElement.dataset.id;
  list.replaceChildren(...experiments.map((row) => {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.id = row.id;
    button.setAttribute("aria-current", String(row.id === chosen));
    const title = document.createElement("span");
    title.textContent = row.name;
    const small = document.createElement("small");
    small.textContent = `${row.state}, ${number(row.decisions)} decisions`;
    button.append(title, small);
    button.addEventListener("click", () => choose(row.id));
    const item = document.createElement("li");
    item.append(button);
    return item;
  }));
  if (focused) list.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
}

function band(arm, top) {
  const x = (value) => `${(100 * value / top).toFixed(2)}%`;
  const svg = draw("svg", { height: 20, role: "img" });
  svg.append(draw("line", { class: "track", x1: x(0), x2: x(top), y1: 10, y2: 10 }));
  if (arm.mean === undefined) {
    svg.setAttribute("aria-label", "no posterior");
    return svg;
  }
  svg.setAttribute("aria-label",
    `mean ${number(arm.mean, 3)}, from ${number(arm.low, 3)} to ${number(arm.high, 3)} with probability 0.9`);
  svg.append(draw("rect", { class: "band", x: x(arm.low), y: 5, height: 10, rx: 4,
                            width: x(Math.max(0.005 * top, arm.high - arm.low)) }));
  svg.append(draw("circle", { class: "dot", cx: x(arm.mean), cy: 10, r: 5 }));
  svg.append(draw("title", {}, svg.getAttribute("aria-label")));
  return svg;
}

function cell(kind, words, type) {
  const node = document.createElement(kind);
  if (type) node.className = type;
  if (words instanceof Node) node.append(words);
  else node.textContent = words;
  return node;
}

/* A number under its label, which is shown where there is no room for a head. */
function figure(label, words) {
  const node = cell("td", words, "number");
  node.dataset.label = label;
  return node;
}

function showArms(arms) {
  const top = Math.max(1, ...arms.map((arm) => arm.high || 0));
  find("scale").textContent = `0 to ${number(top, 2)}`;
  find("arms").replaceChildren(...arms.map((arm) => {
    const row = document.createElement("tr");
    row.setAttribute("role", "row");
    row.classList.toggle("retired", arm.retired);
    const name = cell("th", arm.retired ? arm.name + " (retired)" : arm.name);
    name.scope = "row";
    row.append(name, cell("td", band(arm, top), "band-cell"), figure("Next", fixed(arm.probability, 3)),
      figure("Decisions", number(arm.decisions)), figure("Rewards", number(arm.rewards)),
      figure("Sum", number(arm.reward_sum, 2)), figure("Experts", fixed(arm.expert_share, 3)));
    for (const each of row.cells) each.setAttribute("role", each === name ? "rowheader" : "cell");
    return row;
  }));
}

/* Round numbers for an axis from 0 to `most`. */
function ticks(most) {
  const raw = most / 4, size = 10 ** Math.floor(Math.log10(raw || 1));
  const step = Math.max(1, [1, 2, 5, 10].find((part) => part * size >= raw) * size);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

function showCurve(points, shadow) {
  const place = find("curve"), width = Math.max(300, place.clientWidth || 600), height = 260;
  const left = 48, right = 12, top = 10, bottom = 46;
  find("expert-key").hidden = shadow;
  if (points.length === 0) {
    place.replaceChildren(cell("p", "No rewards yet.", "quiet"));
    find("reading").textContent = "";
    return;
  }
  const all = [{ rewards: 0, reward_sum: 0, expert_reward_sum: 0 }, ...points];
  const last = all[all.length - 1];
  const most = Math.max(1, ...all.map((point) => Math.max(point.reward_sum, shadow ? 0 : point.expert_reward_sum)));
  const x = (value) => left + (width - left - right) * value / last.rewards;
  const y = (value) => height - bottom - (height - top - bottom) * value / most;
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", tabindex: 0,
    "aria-label": `Cumulative reward ${number(last.reward_sum, 1)} after ${number(last.rewards)} rewards` +
      (shadow ? "" : `; the experts’ choices would have earned about ${number(last.expert_reward_sum, 1)}`) });
  for (const value of ticks(most)) {
    svg.append(draw("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }));
    svg.append(draw("text", { class: "tick", x: left - 6, y: y(value) + 4, "text-anchor": "end" }, number(value)));
  }
  for (const value of ticks(last.rewards)) {
    svg.append(draw("text", { class: "tick", x: x(value), y: height - 28, "text-anchor": "middle" }, number(value)));
  }
  svg.append(draw("text", { class: "tick", x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, "rewards"));
  svg.append(draw("line", { class: "axis", x1: left, x2: width - right, y1: y(0), y2: y(0) }));
  const line = (kind, field) => svg.append(draw("polyline", { class: "line " + kind,
    points: all.map((point) => `${x(point.rewards).toFixed(1)},${y(point[field]).toFixed(1)}`).join(" ") }));
  if (!shadow) line("experts", "expert_reward_sum");
  line("service", "reward_sum");
  const cursor = draw("line", { class: "cursor", y1: top, y2: height - bottom, x1: x(last.rewards), x2: x(last.rewards) });
  svg.append(cursor);
  let at = all.length - 1;
  const read = (index) => {
    at = Math.min(all.length - 1, Math.max(0, index));
    const point = all[at];
    cursor.setAttribute("x1", x(point.rewards));
    cursor.setAttribute("x2", x(point.rewards));
    find("reading").textContent = `After ${number(point.rewards)} rewards: ${number(point.reward_sum, 1)}` +
      (shadow ? "" : `; the experts’ choices: about ${number(point.expert_reward_sum, 1)}`);
  };
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const wanted = ((event.clientX - box.left) * width / box.width - left) / (width - left - right) * last.rewards;
    let near = 0;
    all.forEach((point, i) => {
      if (Math.abs(point.rewards - wanted) < Math.abs(all[near].rewards - wanted)) near = i;
    });
    read(near);
  });
  svg.addEventListener("keydown", (event) => {
    const move = { ArrowLeft: -1, ArrowRight: 1, Home: -all.length, End: all.length }[event.key];
    if (move) { read(at + move); event.preventDefault(); }
  });
  const focused = place.contains(document.activeElement);
  place.replaceChildren(svg);
  if (focused) svg.focus();
  read(at);
}

function showExperiment(shown, points) {
  find("choose").hidden = true;
  find("experiment").hidden = false;
  find("name").textContent = shown.name;
  find("state").textContent = shown.state;
  find("state").className = "state " + shown.state;
  find("shadow").hidden = !shown.shadow;
  find("pause").textContent = shown.state === "paused" ? "Resume" : "Pause";
  find("id").textContent = shown.id;
  find("version").textContent = shown.model_version;
  find("decisions").textContent = number(shown.decisions);
  find("rewards").textContent = number(shown.rewards);
  find("mean").textContent = shown.rewards ? fixed(shown.reward_sum / shown.rewards, 3) : "–";
  find("expert-mean").textContent =
    shown.rewards && shown.expert_reward_sum !== null ? fixed(shown.expert_reward_sum / shown.rewards, 3) : "–";
  showArms(shown.arms);
  drawn = () => showCurve(points, shown.shadow);
  drawn();
  document.title = `${shown.name} – ExPerior decisions`;
}

async function refresh() {
  const own = ++round;
  clearTimeout(timer);
  try {
    const list = (await (await ask("GET", "/v1/experiments")).json()).experiments;
    if (!list.some((row) => row.id === chosen)) chosen = list.length === 1 ? list[0].id : "";
    let shown = null, points = [];
    if (chosen) {
      shown = await (await ask("GET", `/v1/experiments/${chosen}`)).json();
      points = (await (await ask("GET", `/v1/experiments/${chosen}/curve`)).json()).points;
      const end = { rewards: shown.rewards, reward_sum: shown.reward_sum, expert_reward_sum: shown.expert_reward_sum };
      if (shown.rewards && (!points.length || points[points.length - 1].rewards < shown.rewards)) points.push(end);
    }
    if (own !== round) return;
    showList(list);
    if (shown) showExperiment(shown, points);
    else {
      find("experiment").hidden = true;
      find("choose").hidden = list.length === 0;
    }
    say("live");
  } catch (failure) {
    if (own !== round) return;
    if (failure.status === 401 || failure.status === 403) {
      say(failure.message, true);
      if (!find("token-dialog").open && !find("create-dialog").open && failure.status === 401) openToken(token && failure.message);
      return; /* goes on when there is a token */
    }
    say(failure.status ? failure.message : "the service does not answer", true);
  }
  timer = setTimeout(refresh, PERIOD);
}

function choose(id) {
  chosen = id;
  history.replaceState(null, "", "#" + id);
  refresh().then(() => find("main").focus());
}

function openToken(problem) {
  find("token-error").textContent = problem || "";
  find("token").value = "";
  find("token-dialog").showModal();
}

function readChoices(text) {
  const choices = {};
  for (const line of text.split("\n").filter((words) => words.trim())) {
    const parts = line.match(/^(.*)[,;\t]\s*(\d+)\s*$/);
    if (!parts || !parts[1].trim()) throw new Error(`“${line.trim()}” is not an arm and its count, such as “drug A, 111”.`);
    if (Object.hasOwn(choices, parts[1].trim())) throw new Error(`“${parts[1].trim()}” is there twice.`);
    choices[parts[1].trim()] = Number(parts[2]);
  }
  return choices;
}

find("open-token").addEventListener("click", () => openToken());
find("token-form").addEventListener("submit", () => {
  token = find("token").value.trim();
  sessionStorage.setItem("token", token);
  refresh();
});
find("open-create").addEventListener("click", () => {
  find("create-error").textContent = "";
  find("create-dialog").showModal();
});
find("create-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const body = { name: find("create-name").value, choices: readChoices(find("create-choices").value) };
    const made = await (await ask("POST", "/v1/experiments", body)).json();
    find("create-dialog").close();
    find("create-form").reset();
    choose(made.id);
  } catch (failure) {
    find("create-error").textContent = failure.message;
  }
});
for (const button of document.querySelectorAll("[data-close]")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}
find("pause").addEventListener("click", async () => {
  try {
    await ask("POST", `/v1/experiments/${chosen}/${find("pause").textContent === "Pause" ? "pause" : "resume"}`, {});
    refresh();
  } catch (failure) {
    say(failure.message, true);
  }
});
find("export").addEventListener("click", async () => {
  try {
    const data = await (await ask("GET", `/v1/experiments/${chosen}/export.csv`)).blob();
    const link = document.createElement("a");
    link.href = URL.createObjectURL(data);
    link.download = `decisions-${chosen}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  } catch (failure) {
    say(failure.message, true);
  }
});
window.addEventListener("resize", () => { if (drawn && !find("experiment").hidden) drawn(); });
window.addEventListener("hashchange", () => { chosen = location.hash.slice(1); refresh(); });
document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
refresh();
