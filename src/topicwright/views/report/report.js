"use strict";
{
  const data = JSON.parse(document.getElementById("data").textContent);
  const topics = new Map(data.topics.map((topic) => [topic.topic, topic]));
  const bySize = [...data.topics].sort((a, b) => b.share - a.share || a.topic - b.topic);
  const byId = (id) => document.getElementById(id);
  const slider = byId("lambda");

  // Text is only ever set as text: the content of documents cannot become markup.
  const element = (name, text = "", className = "") => {
    const made = document.createElement(name);
    made.textContent = text;
    made.className = className;
    return made;
  };
  const number = (value) => value.toLocaleString("en").replace("-", "−");
  const percent = (share) => {
    const figure = 100 * share;
    if (figure >= 9.95 || figure === 0) return `${figure.toFixed(0)} %`;
    return `${figure >= 0.095 ? figure.toFixed(1) : Number(figure.toPrecision(1))} %`;
  };
  const titleOf = (topic) => (topic.name === null ? `Topic ${topic.topic}` : `${topic.topic} · ${topic.name}`);
  const track = (share, isNegative = false) => {
    const made = element("span", "", isNegative ? "track negative" : "track");
    const filled = element("i");
    filled.style.width = `${100 * share}%`;
    made.append(filled);
    return made;
  };

  // λ log p(w|k) + (1 − λ) log p(w|k)/p(w); equal words keep their order, the most frequent first.
  function ranked(words) {
    const lambda = Number(slider.value);
    const relevance = ([, p, lift]) => lambda * p + (1 - lambda) * lift;
    return [...words].sort((a, b) => relevance(b) - relevance(a));
  }

  function showWords(topic) {
    const best = ranked(topic.words).slice(0, data.shown);
    const most = Math.max(...best.map((word) => word[3]), 1);
    byId("words").tBodies[0].replaceChildren(
      ...best.map(([word, , , count, total]) => {
        const row = element("tr");
        const bar = element("td");
        bar.append(track(count / most));
        const share = total > 0 ? percent(Math.min(1, count / total)) : "–";
        row.append(element("td", word), bar, element("td", number(count), "figure"), element("td", share, "figure"));
        return row;
      }),
    );
    byId("lambda-value").textContent = `λ = ${Number(slider.value).toFixed(2)}`;
  }

  function showBars(topic) {
    if (!byId("bars")) return;
    byId("bars").querySelector("ul").replaceChildren(
      ...topic.bars.map(([name, value]) => {
        const row = element("li");
        const label = element("span", name);
        label.title = name;
        row.append(label, track(Math.abs(value) / data.full, value < 0), element("span", data.unit === "share" ? percent(value) : number(value), "figure"));
        return row;
      }),
    );
  }

  function showTime(topic) {
    if (!byId("time")) return;
    for (const part of ["line", "solid"]) byId("time").querySelector(`.${part}`).setAttribute("d", topic.time[part]);
    byId("time").querySelector(".peak").textContent = topic.time.peak;
  }

  function showNear(topic) {
    byId("near").hidden = topic.near.length === 0;
    byId("near").querySelector("p").replaceChildren(
      ...topic.near.map(([other, similarity]) => {
        const near = topics.get(other);
        const link = element("a", near.name === null ? `${other} · ${ranked(near.words).slice(0, 3).map((w) => w[0]).join(" ")}` : titleOf(near));
        link.href = `#topic=${other}`;
        link.title = `${percent(similarity)} similar`;
        return link;
      }),
    );
  }

  function showExamples(topic) {
    const examples = topic.examples || [];
    byId("examples").hidden = examples.length === 0;
    byId("examples").querySelector("div").replaceChildren(
      ...examples.map((example, place) => {
        const made = element("details");
        made.open = place === 0;
        const summary = element("summary", example.name);
        summary.append(element("span", [`${percent(example.share)} in this topic`, ...example.labels].join(" · ")));
        const text = element("p");
        text.append(...example.pieces.map((piece, n) => (n % 2 ? element("mark", piece) : piece)));
        made.append(summary, text);
        return made;
      }),
    );
  }

  function step(id, topic, by) {
    const other = bySize[(bySize.indexOf(topic) + by + bySize.length) % bySize.length];
    byId(id).href = `#topic=${other.topic}`;
    byId(id).setAttribute("aria-label", `${by < 0 ? "Next larger" : "Next smaller"}: ${titleOf(other)}`);
  }

  function showTopic(topic) {
    byId("topic-head").textContent = titleOf(topic);
    const facts = [`${percent(topic.share)} of all words`];
    if (topic.coherence !== undefined) facts.push(`coherence ${topic.coherence.toFixed(3).replace("-", "−")} (NPMI)`);
    if (topic.documents !== undefined) facts.push(`${number(topic.documents)} documents have the label`);
    byId("topic-facts").textContent = facts.join(" · ");
    showWords(topic);
    showBars(topic);
    showTime(topic);
    showNear(topic);
    showExamples(topic);
    step("before", topic, -1);
    step("after", topic, 1);
    const near = new Set(topic.near.map(([other]) => other));
    document.querySelectorAll("[data-topic]").forEach((node) => {
      const own = Number(node.dataset.topic);
      node.classList.toggle("chosen", own === topic.topic);
      node.classList.toggle("near", near.has(own));
      if (node.closest("svg")) own === topic.topic ? node.setAttribute("aria-current", "true") : node.removeAttribute("aria-current");
    });
    byId("topic").hidden = false;
  }

  // The address has the topic and lambda that are shown, as in #topic=7&lambda=0.3, so that it can be shared.
  function showAddress() {
    const query = new URLSearchParams(location.hash.slice(1));
    if (query.has("lambda")) slider.value = query.get("lambda");
    const topic = topics.get(Number(query.get("topic") ?? NaN)) || bySize[0];
    if (topic) showTopic(topic);
  }

  slider.addEventListener("input", () => {
    const shown = topics.get(Number(new URLSearchParams(location.hash.slice(1)).get("topic") ?? NaN)) || bySize[0];
    if (!shown) return;
    showWords(shown);
    history.replaceState(null, "", `#topic=${shown.topic}&lambda=${slider.value}`);
  });

  document.querySelectorAll("[data-sort]").forEach((button) =>
    button.addEventListener("click", () => {
      const key = button.dataset.sort;
      const value = (row) => topics.get(Number(row.dataset.topic))[key] ?? -Infinity;
      const up = key === "topic" ? 1 : -1;
      const body = button.closest("table").tBodies[0];
      body.append(...[...body.rows].sort((a, b) => up * (value(a) - value(b))));
      document.querySelectorAll("[data-sort]").forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
    }),
  );

  window.addEventListener("hashchange", () => {
    showAddress();
    const top = byId("topic").getBoundingClientRect().top;
    if (top < 0 || top > 0.7 * window.innerHeight) byId("topic").scrollIntoView();
  });
  showAddress();
}
