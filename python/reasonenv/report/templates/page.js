
const boxes = [...document.querySelectorAll(".wide")];
function hint(box) {
  box.parentElement.classList.toggle("cut", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
}
for (const box of boxes) {
  new ResizeObserver(() => hint(box)).observe(box);
  box.addEventListener("scroll", () => hint(box), { passive: true });
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.previousElementSibling.textContent);
    button.textContent = "Copied";
  });
}

for (const event of ["beforeprint", "afterprint"]) {
  addEventListener(event, () => {
    for (const one of document.querySelectorAll(".more")) one.open = event === "beforeprint";
  });
}

const [search, label, policy, list, all] = ["search", "label", "policy", "list", "all"]
  .map(id => document.getElementById(id));
if (list) {
  const rollouts = [...list.querySelectorAll(":scope > details")];
  let most = 12;
  const show = () => {
    const text = search.value.toLowerCase();
    const found = rollouts.filter(one =>
      (!label.value || one.dataset.labels.split(" ").includes(label.value))
      && (!policy.value || one.dataset.policy === policy.value)
      && (!text || one.textContent.toLowerCase().includes(text)));
    const shown = new Set(found.slice(0, most));
    for (const one of rollouts) one.hidden = !shown.has(one);
    all.hidden = found.length <= most;
    all.textContent = `Show all ${found.length}`;
  };
  for (const one of [search, label, policy]) one.addEventListener("input", show);
  all.addEventListener("click", () => { most = Infinity; show(); });
  show();
}
