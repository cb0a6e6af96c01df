// Pages in two languages: #ja or ?lang=ja shows the Japanese, #en the English. Its formulas are set
// only then. Without this script the style sheet follows #ja, and formulas stay as they are typed.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const links = [...document.querySelectorAll(".languages a")];
  if (!links.length) return;
  // The tab is named as the page is.
  const [en, ja] = ["en", "ja"].map((name) => document.querySelector(`h1 > .in-${name}`)?.textContent ?? "");
  const titles = { en: document.title, ja: document.title.replace(en, ja) };

  async function setFormulas() {
    const late = [...document.querySelectorAll(".in-ja code.tex")];
    const fresh = late.map((code) => {
      const formula = document.createElement("span");
      formula.className = "math notranslate nohighlight";
      formula.textContent = `\\(${code.textContent}\\)`;
      code.replaceWith(formula);
      return formula;
    });
    if (!fresh.length || !document.querySelector("script[src*='mathjax']")) return;
    while (!window.MathJax?.startup?.promise) await new Promise((go) => { setTimeout(go, 50); });
    await window.MathJax.startup.promise;
    await window.MathJax.typesetPromise(fresh);
  }

  function show(language) {
    document.documentElement.dataset.shown = language;
    document.title = titles[language];
    for (const link of links)
      if (link.id === language) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    const done = language === "ja" ? setFormulas() : Promise.resolve();
    done.then(() => { document.documentElement.dataset.set = language; });
  }

  const named = () => (["#ja", "#en"].includes(location.hash) ? location.hash.slice(1) : "");
  addEventListener("hashchange", () => { if (named()) show(named()); });
  show(named() || (new URLSearchParams(location.search).get("lang") === "ja" ? "ja" : "en"));
});
