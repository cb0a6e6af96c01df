/* Bets: releases drawn in the page, so that a reader can be the attacker.
 *
 * Each entry of `privlib.bets` draws one release from a uniform generator, says what the best rule
 * answers and what can be reached at most. All releases follow from the seed in the address.
 */
"use strict";

(() => {
  const { ceiling, coinLeakage, fixed, generator, laplaceNoise, numbers, percent, range, slider, sum } = privlib;
  const { canvas, element, join, remember, slide, type } = privlib.page;
  const { exp, floor, max, min, round, sqrt } = Math;

  /** A number as it is published, without the sign of a zero. */
  const published = (value, digits) => fixed(value, digits).replace(/^-(?=[0.]+$)/, "");

  /** A release that hides one of two sides. */
  const hides = (side, seen, best) => ({ seen, kind: side, best, hit: (bet) => bet === side });

  function drawCount([epsilon], uniform) {
    const side = +(uniform() < 0.5), seen = 2 + side + laplaceNoise(uniform(), 1 / epsilon);
    return hides(side, seen, +(seen > 2.5));
  }

  function drawCoins([rho, epsilon], uniform) {
    const first = +(uniform() < 0.5), second = uniform() < (1 + rho) / 2 ? first : 1 - first;
    const seen = first + second + laplaceNoise(uniform(), 1 / epsilon);
    return hides(first, seen, +(seen > 1));
  }

  /** A report of CMS shows two signs that tell tea from milk, unless both have one cell. */
  function drawReport([epsilon, width], uniform) {
    const side = +(uniform() < 0.5), keep = ceiling(epsilon / 2);
    const sign = (own) => (uniform() < keep ? own : -own);
    const [tea, milk] = [sign(side ? -1 : 1), sign(side ? 1 : -1)], apart = uniform() >= 1 / width;
    const seen = apart ? (milk - tea) / 2 : 0;
    return hides(side, seen, +(seen > 0));
  }

  /**
   * Weights of all ways in which the records, each drawn or not, are shown, for at most `shown` of
   * each value; `steps` says how far apart in the list two numbers of one value stand.
   */
  function ways(records, shown, chance) {
    const steps = shown.map((_, b) => shown.slice(0, b).reduce((a, f) => a * (f + 1), 1));
    const size = shown.reduce((a, f) => a * (f + 1), 1);
    const has = shown.map((f, b) => range(size).map((at) => floor(at / steps[b]) % (f + 1) > 0));
    const weights = [1, ...Array(size - 1).fill(0)];
    for (const value of records) {
      const chances = shown.map((_, b) => chance(value, b));
      for (let at = size - 1; at > 0; at -= 1) {
        for (let b = 0; b < steps.length; b += 1) {
          if (has[b][at]) weights[at] += chances[b] * weights[at - steps[b]];
        }
      }
    }
    return { steps, weights };
  }

  /** Probability that one given row showing b is that of the first record, for each b. */
  function links([first, ...rest], shown, chance) {
    const { steps, weights } = ways(rest, shown, chance), last = weights.length - 1;
    const hers = shown.map((f, b) => (f ? chance(first, b) * weights[last - steps[b]] : 0));
    return shown.map((f, b) => (f ? hers[b] / (weights[last] + sum(hers)) / f : 0));
  }

  const linked = new Map(); // by table, retention and what is shown: thousands of releases repeat few

  /** The records of a typed table, the sample's size and the chances of PRAM. */
  function office([part, keep], [text]) {
    const table = numbers(text, "People by value", { least: 1, most: 12 });
    if (table.length < 2 || table.length > 3) throw new RangeError("People by value: two or three.");
    const records = table.flatMap((count, value) => Array(count).fill(value));
    const chance = (a, b) => (1 - keep) / table.length + (a === b ? keep : 0);
    return { table, records, chance, size: max(1, round(part * records.length)) };
  }

  function drawTable(values, uniform, texts) {
    const { table, records, chance, size } = office(values, texts);
    const order = records.map((_, k) => [uniform(), k]).sort((a, b) => a[0] - b[0]).slice(0, size);
    const rows = order.map(([, k]) => {
      let u = uniform(), b = 0;
      while (b < table.length - 1 && u >= chance(records[k], b)) u -= chance(records[k], b++);
      return { own: k === 0, b };
    });
    const shown = table.map((_, b) => rows.filter((row) => row.b === b).length);
    const key = [table, values[1], shown].join(" ");
    if (!linked.has(key)) linked.set(key, links(records, shown, chance));
    const every = linked.get(key), best = every.indexOf(max(...every));
    // Of the rows that show what is bet on, one is taken; the order is random, so the first.
    const hit = (bet) => Boolean(rows.find((row) => row.b === bet)?.own);
    return { seen: every[best], kind: 1 - hit(best), best, hit,
      told: shown.map((f, b) => `${f} × ${"ABC"[b]}`).join(", ") };
  }

  const tableLevel = (values, texts) => {
    const { table, records: { length: n }, size: s } = office(values, texts);
    const gamma = (1 - values[1]) / (1 + (table.length - 1) * values[1]);
    return 1 + (n - s) * gamma + (s - 1) * gamma ** 2;
  };

  const whereabouts = new Map(); // by table and chance to stay: where the others may have gone, with weights

  /** The places of all, the chances of a move and, where asked for, the ways of everybody but her. */
  function town([stay], [text]) {
    const before = numbers(text, "People yesterday", { count: 3, most: 12 });
    if (!before[0]) throw new RangeError("People yesterday: she was at A, so at least 1 there.");
    const [, ...others] = before.flatMap((count, place) => Array(count).fill(place));
    const chance = (a, b) => (a === b ? stay : (1 - stay) / 2);
    const key = [before, stay].join(" ");
    const moves = () => {
      if (!whereabouts.has(key)) {
        const many = others.length, { steps, weights } = ways(others, before.map(() => many), chance);
        const spread = (at) => steps.map((step) => floor(at / step) % (many + 1));
        whereabouts.set(key, [...weights.keys()].map((at) => [spread(at), weights[at]])
          .filter(([went]) => sum(went) === many));
      }
      return whereabouts.get(key);
    };
    return { others, chance, moves };
  }

  /** Probability that she is at each place, given the noisy numbers, for one who knows all but the moves. */
  function places(values, texts, seen) {
    const { others, chance, moves } = town(values, texts);
    const off = seen.map((v) => range(others.length + 2).map((k) => (Math.abs(v - k) * values[1]) / 2));
    const each = (visit) => moves().forEach(([[a, b, c], weight]) => {
      visit(0, weight, off[0][a + 1] + off[1][b] + off[2][c]);
      visit(1, weight, off[0][a] + off[1][b + 1] + off[2][c]);
      visit(2, weight, off[0][a] + off[1][b] + off[2][c + 1]);
    });
    let least = Infinity; // comes off first, so that no weight is lost to underflow
    each((hers, weight, far) => { least = min(least, far); });
    const odds = [0, 0, 0];
    each((hers, weight, far) => { odds[hers] += weight * chance(0, hers) * exp(least - far); });
    return odds.map((one) => one / sum(odds));
  }

  function drawMove(values, uniform, texts) {
    const { others, chance } = town(values, texts);
    const go = (from) => {
      let u = uniform(), to = 0;
      while (to < 2 && u >= chance(from, to)) u -= chance(from, to++);
      return to;
    };
    const hers = go(0), now = [hers, ...others.map(go)];
    const seen = range(3).map((b) => now.filter((at) => at === b).length + laplaceNoise(uniform(), 2 / values[1]));
    const every = places(values, texts, seen), best = every.indexOf(max(...every));
    return { seen: every[best], kind: +(hers !== best), best, hit: (bet) => bet === hers,
      told: seen.map((v, b) => `${published(v, 2)} at ${"ABC"[b]}`).join(", ") };
  }

  const level = (label, start) => slider(label, start, "0.1", "0.3", "0.5", "1", "2", "3", "5");

  privlib.bets = {
    "bet-laplace": {
      draw: drawCount, axis: "published number", range: [-2, 7], kinds: ["it was 2", "it was 3"],
      choices: () => ["It was 2", "It was 3"],
      rate: ([epsilon]) => 1 - exp(-epsilon / 2) / 2,
      most: ([epsilon]) => [ceiling(epsilon), "e^ε/(1 + e^ε)"],
      sliders: [level("level ε", 3)],
    },
    "bet-coins": {
      draw: drawCoins, axis: "published sum", range: [-3, 5], kinds: ["it was 0", "it was 1"],
      choices: () => ["It was 0", "It was 1"],
      rate: ([rho, epsilon]) => ((1 + rho) / 2) * (1 - exp(-epsilon) / 2) + (1 - rho) / 4,
      most: ([rho, epsilon]) => {
        const leak = coinLeakage(rho, epsilon), alone = percent(ceiling(epsilon), 1);
        return [ceiling(leak), `the leakage is ${fixed(leak, 2)}; ε alone would say ${alone}`];
      },
      sliders: [
        slider("correlation ρ", 3, "-0.90", "0.00", "0.50", "0.90", "0.99"),
        level("level ε of the noise", 3)],
    },
    "bet-table": {
      draw: drawTable, axis: "probability of the best link", range: [0, 1], kinds: ["hit", "miss"],
      passed: ["the best bet was right", "the best bet was wrong"],
      choices: (...given) => office(...given).table.map((_, b) => `A row that shows ${"ABC"[b]}`),
      most: (...given) => {
        const k = tableLevel(...given);
        return [1 / k, `1/k, with k = ${fixed(k, 2)}`];
      },
      sliders: [
        slider("records drawn", 2, "10%", "50%", "100%"),
        slider("retention", 1, "0.10", "0.50", "0.80", "0.95")],
      texts: [{ label: "People by value", start: "1, 6, 5" }],
    },
    "bet-move": {
      draw: drawMove, axis: "probability of the likeliest place", range: [0, 1], kinds: ["hit", "miss"],
      passed: ["the best bet was right", "the best bet was wrong"],
      choices: () => ["She is at A", "She is at B", "She is at C"],
      most: (...given) => {
        const [stay, epsilon] = given[0], guess = max(stay, (1 - stay) / 2);
        town(...given); // says what is wrong with a table that cannot be
        return [1 / (1 + (1 / guess - 1) * exp(-epsilon)),
          `e^ε times the odds of ${percent(guess, 1)}, the best bet without any numbers`];
      },
      sliders: [slider("chance to stay", 1, "0.10", "0.40", "0.70", "0.90"), level("level ε", 3)],
      texts: [{ label: "People yesterday, at A, B, C", start: "1, 2, 1" }],
    },
    "bet-report": {
      draw: drawReport, axis: "whose sign is +1: tea only (−1), milk only (1)", range: [-1.5, 1.5],
      kinds: ["it was tea", "it was milk"], choices: () => ["It was tea", "It was milk"],
      rate: ([epsilon, width]) => ceiling(epsilon / 2) * (1 - 1 / width) + 0.5 / width,
      most: ([epsilon]) => [ceiling(epsilon), "e^ε/(1 + e^ε)"],
      sliders: [level("privacy ε", 4), slider("cells m", 2, "2", "16", "128")],
    },
  };
  Object.assign(privlib, { linked, links, places });

  const BINS = 45, BLUE = "#0072B2", ORANGE = "#E69F00", BLACK = "#000000";

  const ENOUGH = 30; // releases, before a frequency is worth an error and the long run is told

  const fresh = () => (Date.now() % 1e6) + 1; // a seed

  /** Fill an element with a game: plot, note, buttons, sliders. */
  privlib.startBet = (box) => {
    const name = box.dataset.bet, game = privlib.bets[name];
    const { plot, paint } = canvas(box, 320), asked = privlib.questions[name];
    const note = element("p", { class: "privlib-note", role: "status" });
    const sliders = game.sliders.map((one, k) =>
      slide(`${box.id}-${k}`, { ...one, ...asked[k]?.[2], asked: asked[k] }));
    const typed = (game.texts ?? []).map((one, k) =>
      type(`${box.id}-text-${k}`, { ...one, asked: asked[sliders.length + k] }));
    const button = (words) => element("button", { type: "button" }, words);
    const [once, often, again] = ["Publish one", "Publish 100 times", "Start again"].map(button);
    const buttons = element("div", { class: "privlib-buttons" }, once, often, again);
    const choices = element("div", { class: "privlib-buttons" });
    let seed, drawn = [], open = false, bets = 0, hits = 0, verdict = "", made = "", next;

    const values = () => sliders.map((one) => one.value()), texts = () => typed.map((one) => one.value());
    const key = () => [...values(), ...texts()].join("_");

    function clear(from, count) {
      [seed, drawn, open, bets, hits, verdict, made] = [from, [], false, 0, 0, "", key()];
      next = generator(seed);
      for (const _ of range(count)) drawn.push(game.draw(values(), next, texts()));
    }

    // The releases go into the address as one more control: the seed and their number.
    const releases = {
      input: once, start: "", read: () => {}, value: () => (drawn.length ? `${seed}x${drawn.length}` : ""),
      write: (text) => {
        const [from, count] = (text || `${fresh()}x0`).split("x").map(Number);
        try { clear(from || 1, min(count || 0, 5000)); } catch { drawn = []; } // a table that cannot be
      },
    };

    function tell(most) {
      const n = drawn.length - open, right = sum(drawn.slice(0, n).map((one) => +one.hit(one.best)));
      const [limit, why] = most, last = drawn.at(-1);
      const told = verdict ? [verdict] : [];
      if (open) told.push(`Published: ${last.told ?? published(last.seen, 2)}. Your bet?`);
      if (bets) told.push(`You were right in ${hits} of ${bets}.`);
      if (n) {
        // Wilson's standard error, which is never 0.
        const error = sqrt((right * (n - right)) / n + 0.25) / (n + 1);
        told.push(`The best rule was right in ${right} of ${n}${n < ENOUGH ? "." : `: ${
          percent(right / n, 1)} ± ${fixed(max(0.1, 100 * error), 1)}.`}`);
      }
      if (game.rate && n >= ENOUGH) {
        told.push(`In the long run the best rule is right in ${percent(game.rate(values()), 1)}.`);
      }
      told.push(`In the long run no rule can exceed ${percent(limit, 1)}: ${why}.`);
      // What is set, so that each step of a slider is heard even where the bound stays.
      told.push(`Set: ${sliders.map(({ input }, k) => `${game.sliders[k].label} ${
        input.getAttribute("aria-valuetext")}`).join(", ")}.`);
      note.textContent = told.join(" ");
    }

    async function draw() {
      [...sliders, ...typed].forEach((one) => one.read());
      let most, offered;
      try {
        if (made !== key()) clear(fresh(), 0); // other releases would be another experiment
        most = game.most(values(), texts());
        offered = game.choices(values(), texts());
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        note.textContent = error.message;
      }
      typed.forEach(({ input }) => input.setAttribute("aria-invalid", !most));
      for (const one of [once, often]) one.disabled = !most;
      once.textContent = drawn.length ? "Publish once more" : "Publish one";
      if (!most) return;
      tell(most);
      choices.replaceChildren(...(open ? offered.map((words, bet) => {
        const one = button(words);
        one.addEventListener("click", () => settle(bet));
        return one;
      }) : []));
      const [low, high] = game.range, step = (high - low) / BINS, shown = drawn.slice(0, drawn.length - open);
      const bin = ({ seen }) => max(0, min(BINS - 1, floor((seen - low) / step)));
      const heights = [0, 1].map(() => Array(BINS).fill(0));
      let right = 0;
      const rates = shown.map((one, k) => {
        heights[one.kind][bin(one)] += 1;
        right += one.hit(one.best);
        return right / (k + 1);
      });
      const enough = shown.length >= ENOUGH; // before, the reader is still to guess the long run
      const span = max(10, shown.length), second = { mode: "lines", xaxis: "x2", yaxis: "y2", showlegend: false };
      const flat = (y, dash, color) => ({ ...second, x: [0, span], y: [y, y], line: { dash, color, width: 1.6 } });
      const seen = open ? drawn.at(-1).seen : 0;
      const mark = { type: "line", yref: "y domain", y0: 0, y1: 1, x0: seen, x1: seen, visible: open,
        line: { color: BLACK, width: 3 } };
      const x = range(BINS).map((k) => low + (k + 0.5) * step);
      await paint([
        ...heights.map((y, k) => ({ type: "bar", x, y, name: game.kinds[k],
          marker: { color: [BLUE, ORANGE][k] } })),
        flat(most[0], "dash", BLACK), ...(game.rate && enough ? [flat(game.rate(values()), "dot", BLUE)] : []),
        { ...second, x: rates.map((_, k) => k + 1), y: rates, line: { color: BLACK, width: 2 } },
      ], {
        barmode: "stack", bargap: 0.05, legend: { traceorder: "normal" },
        shapes: [mark],
        xaxis: { domain: [0, 0.46], range: [low, high], title: { text: game.axis, standoff: 4 } },
        yaxis: { rangemode: "tozero", title: { text: "releases" } },
        xaxis2: { domain: [0.58, 1], anchor: "y2", range: [0, span],
          title: { text: "releases so far", standoff: 4 } },
        yaxis2: { anchor: "x2", range: [0, 1.02], tickformat: ".0%", title: { text: "best rule right" } },
      });
    }

    function settle(bet) {
      const hit = drawn.at(-1).hit(bet);
      [open, bets, hits, verdict] = [false, bets + 1, hits + hit, hit ? "Right." : "Wrong."];
      once.focus(); // the button that was pressed is about to go
      draw();
    }

    function publish(count) {
      const left = open ? (game.passed ?? game.kinds)[drawn.at(-1).kind] : "";
      for (const _ of range(count)) drawn.push(game.draw(values(), next, texts()));
      [open, verdict] = [count === 1, left && `You did not bet on the last one: ${left}.`];
      draw();
      remember(once);
    }

    const long = game.rate ? `, and dotted, from ${ENOUGH} releases on, how often the best one is right` : "";
    const lines = element("p", { class: "privlib-hint" },
      `Second panel: solid, how often the best rule was right so far. In the long run: dashed, what no rule can exceed${
        long}.`);
    box.replaceChildren(plot, lines, note, choices, buttons, ...[...sliders, ...typed].map(({ node }) => node));
    releases.write();
    join(name, [...sliders, ...typed, releases], draw);
    window.addEventListener("resize", draw);
    once.addEventListener("click", () => publish(1));
    often.addEventListener("click", () => publish(100));
    again.addEventListener("click", () => { clear(fresh(), 0); draw(); remember(again); });
    draw();
  };
})();
