
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

const [search, label, policy, list, all, pager, before, place, after] =
  ["search", "label", "policy", "list", "all", "pager", "before", "place", "after"]
    .map(id => document.getElementById(id));

// The sample within the page.
function browseSample() {
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
  for (const one of [search, label, policy]) one.oninput = show;
  all.onclick = () => { most = Infinity; show(); };
  show();
}

// All rollouts, from the files beside the page: scripts, since pages of a folder may load nothing else.
function browseAll({ size, policies, labels, kinds, rows }) {
  const perPage = 25, files = new Map();
  let found = [], start = 0, turn = 0;
  reasonenv.rollouts = (number, given) => files.get(number).resolve(given);
  const file = number => {
    if (!files.has(number)) {
      const one = {};
      one.given = new Promise((resolve, reject) => Object.assign(one, { resolve, reject }));
      files.set(number, one);
      script(`${number}.js`, one.reject);
    }
    return files.get(number).given;
  };
  const html = async at => (await file(Math.floor(at / size)))[at % size];
  const show = async () => {
    const mine = ++turn, shown = found.slice(start, start + perPage);
    const given = await Promise.all(shown.map(html));
    if (mine !== turn) return;
    list.innerHTML = given.join("");
    const all = found.length.toLocaleString("en");
    place.textContent = shown.length ? `${start + 1}–${start + shown.length} of ${all}` : "none";
    before.disabled = start === 0;
    after.disabled = start + perPage >= found.length;
  };
  const filter = async () => {
    const text = search.value.toLowerCase(), mine = ++turn;
    const wanted = labels.indexOf(label.value), by = policies.indexOf(policy.value);
    const fits = kinds.map(([who, ...what]) =>
      (!label.value || what.includes(wanted)) && (!policy.value || who === by));
    let kept = [...rows.keys()].filter(at => fits[rows[at]]);
    if (text) {
      const matching = [], reader = document.createElement("div");
      for (const at of kept) {
        if (at % size === 0) place.textContent = `searched ${at.toLocaleString("en")} rollouts`;
        reader.innerHTML = await html(at);
        if (mine !== turn) return;
        if (reader.textContent.toLowerCase().includes(text)) matching.push(at);
      }
      kept = matching;
    }
    [found, start] = [kept, 0];
    await show();
  };
  const fill = (select, names) => {
    const chosen = select.value;
    for (const one of [...select.options].slice(1)) one.remove();
    for (const name of names) select.add(new Option(name));
    select.value = names.includes(chosen) ? chosen : "";
  };
  fill(label, ["passed", ...labels.slice(1).sort()].filter(name => labels.includes(name)));
  fill(policy, [...policies].sort());
  all.hidden = true;
  pager.hidden = false;
  for (const one of [search, label, policy]) one.oninput = filter;
  const turnTo = by => { start += by * perPage; show().then(() => list.scrollIntoView()); };
  before.onclick = () => turnTo(-1);
  after.onclick = () => turnTo(1);
  filter();
}

function script(name, failed = () => {}) {
  const one = document.createElement("script");
  one.src = `${list.dataset.beside.split("/").map(encodeURIComponent).join("/")}/${name}`;
  one.onerror = failed;
  document.head.append(one);
}

if (list) {
  browseSample();
  globalThis.reasonenv = { index: browseAll };
  if (list.dataset.beside) script("index.js");
}
