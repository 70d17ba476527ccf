// The gallery of games (docs/games/index.md): filters above its table, and films under the pointer.
// Without scripts the table is there as it is.
"use strict";
(() => {
  const table = document.querySelector(".gallery table");
  if (!table) return;

  const number = (text) => Number(text.replaceAll(",", ""));
  const games = [...table.tBodies[0].rows].map((row, place) => {
    const [, title, players, controller, score] = [...row.cells].map((cell) => cell.textContent.trim());
    return { row, place, title: title.toLowerCase(), players: players.split(" or "), controller, score: number(score) };
  });

  const choices = {
    players: ["Players", { "": "any number", 1: "1", 2: "2", 4: "4" }],
    controller: ["Controller", { "": "any", joystick: "joystick", paddle: "paddle" }],
    score: ["Random play earns", {
      "": "anything", loss: "less than 0", nothing: "0", few: "up to 100", some: "100 to 1,000", many: "more than 1,000",
    }],
    order: ["Order", { "": "by name", up: "by random play, least first", down: "by random play, most first" }],
  };
  const earns = {
    loss: (score) => score < 0,
    nothing: (score) => score === 0,
    few: (score) => score > 0 && score < 100,
    some: (score) => score >= 100 && score <= 1000,
    many: (score) => score > 1000,
  };

  const form = document.createElement("form");
  form.className = "gallery-filters";
  form.setAttribute("role", "search");
  form.setAttribute("aria-label", "Games");
  const labelled = (text, field) => {
    const label = document.createElement("label");
    label.append(text, field);
    form.append(label);
  };
  const name = Object.assign(document.createElement("input"), { type: "search", name: "name" });
  labelled("Name", name);
  for (const [key, [text, options]] of Object.entries(choices)) {
    const select = Object.assign(document.createElement("select"), { name: key });
    // "" first: keys that are numbers come before all others in an object.
    const entries = Object.entries(options).sort(([a], [b]) => (a !== "") - (b !== ""));
    for (const [value, words] of entries) select.append(new Option(words, value));
    labelled(text, select);
  }
  const count = document.createElement("output");
  form.append(count);

  const show = () => {
    const wanted = Object.fromEntries(new FormData(form));
    const sign = { up: 1, down: -1 }[wanted.order] ?? 0;
    let shown = 0;
    for (const game of games) {
      const fits =
        game.title.includes(wanted.name.trim().toLowerCase()) &&
        (!wanted.players || game.players.includes(wanted.players)) &&
        (!wanted.controller || game.controller === wanted.controller) &&
        (!wanted.score || earns[wanted.score](game.score));
      game.row.hidden = !fits;
      shown += fits;
    }
    games.sort((a, b) => sign * (a.score - b.score) || a.place - b.place);
    table.tBodies[0].append(...games.map((game) => game.row));
    count.textContent = `${shown} of ${games.length} games`;
  };
  for (const kind of ["input", "change"]) form.addEventListener(kind, show);
  form.addEventListener("submit", (event) => event.preventDefault());
  table.closest(".gallery").prepend(form);
  show();

  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const { row } of games) {
    const picture = row.querySelector("img");
    const still = picture.getAttribute("src");
    const film = still.replace("stills/", "films/");
    const set = (source) => () => picture.setAttribute("src", source);
    row.addEventListener("pointerenter", set(film));
    row.addEventListener("focusin", set(film));
    row.addEventListener("pointerleave", set(still));
    row.addEventListener("focusout", set(still));
  }
})();
