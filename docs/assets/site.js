// What the theme lacks: the search's index is fetched when the search is opened, all that scrolls can be reached by
// keyboard, landmarks have names of their own, and films stand still for who wants that.
"use strict";
(() => {
  const opened = new Promise((resolve) => {
    const search = document.querySelector(".md-search");
    search.setAttribute("aria-label", "Search");
    search.addEventListener("focusin", resolve);
    if (new URLSearchParams(location.search).has("q")) resolve();
    // The theme's query language has no use for these, and ends at them.
    const field = search.querySelector("input");
    field.addEventListener("input", () => {
      if (/[:~^]/.test(field.value)) field.value = field.value.replace(/[:~^]/g, " ");
    }, true);
  });
  const { open, send } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (method, address, ...more) {
    this.waits = String(address).endsWith("search/search_index.json");
    return open.call(this, method, address, ...more);
  };
  XMLHttpRequest.prototype.send = function (...body) {
    if (this.waits) opened.then(() => send.apply(this, body));
    else send.apply(this, body);
  };

  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const stop = (film) => {
    const canvas = document.createElement("canvas");
    canvas.width = film.naturalWidth;
    canvas.height = film.naturalHeight;
    canvas.getContext("2d").drawImage(film, 0, 0);
    film.src = canvas.toDataURL();
  };
  addEventListener("load", () => {
    for (const box of document.querySelectorAll(".md-typeset__scrollwrap, pre > code")) {
      if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight + 1) box.tabIndex = 0;
    }
    document.querySelectorAll(".md-code__nav").forEach((bar, place) => bar.setAttribute("aria-label", `Code ${place + 1}`));
    const named = {};
    for (const nav of document.querySelectorAll("nav[aria-labelledby]")) {
      const words = document.getElementById(nav.getAttribute("aria-labelledby"))?.textContent.trim() ?? "";
      named[words] = (named[words] ?? 0) + 1;
      if (named[words] === 1) continue;
      nav.removeAttribute("aria-labelledby");
      nav.setAttribute("aria-label", `${words}, ${named[words]}`);
    }
    for (const head of document.querySelectorAll("th:empty")) head.setAttribute("role", "presentation");
    if (!still.matches) return;
    for (const film of document.querySelectorAll("img:is([src$='.gif'], [src*='films/'], [src*='images/'][src$='.webp'])")) {
      if (film.complete && film.naturalWidth) stop(film);
      else film.addEventListener("load", () => stop(film), { once: true });
    }
  });
})();
