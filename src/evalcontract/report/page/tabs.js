// The tabs, one for each view.

import { byId, el } from "./dom.js";
import { follow, state, update } from "./state.js";

/** Make the tabs: `views` has for each its name, its title, and a text for its badge. */
export function makeTabs(views) {
  const tabs = views.map(({ name, title, badge }) =>
    el(
      "button",
      {
        type: "button", role: "tab", id: `tab-${name}`, "aria-controls": name,
        on: { click: () => update({ view: name }) },
      },
      title,
      badge ? el("span", { class: "badge" }, badge) : null,
    ),
  );
  const list = el("div", { class: "tabs", role: "tablist", "aria-label": "Views" }, tabs);
  list.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const names = views.map((view) => view.name);
    const next = (names.indexOf(state.view) + by + names.length) % names.length;
    update({ view: names[next] });
    tabs[next].focus();
    event.preventDefault();
  });
  byId("tabs").replaceChildren(list);
  follow(() => {
    const known = views.some((view) => view.name === state.view);
    const view = known ? state.view : views[0].name;
    for (const [at, { name }] of views.entries()) {
      tabs[at].setAttribute("aria-selected", String(name === view));
      tabs[at].tabIndex = name === view ? 0 : -1;
      byId(name).hidden = name !== view;
    }
  });
}
