"use strict";
(function () {
  const byId = function (id) { return document.getElementById(id); };
  const form = byId("filter");
  const rows = Array.from(document.querySelectorAll("details.rule"));
  const names = ["verdict", "strength", "interface"];

  function visible() {
    return rows.filter(function (row) { return !row.hidden; });
  }

  function apply() {
    const wanted = byId("f-text").value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const words = row.querySelector("summary").textContent.toLowerCase();
      row.hidden = !(
        names.every(function (name) {
          const value = byId("f-" + name).value;
          return !value || row.dataset[name] === value;
        }) && wanted.every(function (word) { return words.includes(word); })
      );
    }
    const shown = visible().length;
    byId("f-count").textContent = shown + " of " + rows.length;
    byId("f-none").hidden = shown > 0;
  }

  function clear() {
    form.reset();
    apply();
  }

  // A link to a rule opens it; without this script the row is still where the link leads.
  function openTarget() {
    const target = byId(decodeURIComponent(location.hash.slice(1)));
    if (!target || !target.matches("details")) return;
    if (target.hidden) clear();
    target.open = true;
    target.scrollIntoView();
  }

  if (form) {
    for (const name of names) byId("f-" + name).addEventListener("change", apply);
    byId("f-text").addEventListener("input", apply);
    byId("f-clear").addEventListener("click", clear);
    byId("f-open").addEventListener("click", function () {
      for (const row of visible()) row.open = true;
    });
    byId("f-close").addEventListener("click", function () {
      for (const row of rows) row.open = false;
    });
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    form.hidden = false;
    apply(); // a browser keeps what was chosen when the page is loaded again
  }

  window.addEventListener("hashchange", openTarget);
  if (location.hash) openTarget();
})();
