/* The closed forms behind the live figures, in the page: pure functions, no document.
 *
 * `privlib.figures[name]` belongs to the figure that `privlib.kit.interactive.show` stored under
 * this name. Its `compute` returns what a stored frame holds, a list of changes, for any values of
 * the sliders; tests compare the two at every stored frame. A figure that is not here keeps to the
 * grid of its frames.
 */
"use strict";

globalThis.privlib = (() => {
  const { abs, exp, floor, log, log10, max, min, round, sinh, sqrt } = Math;
  const range = (n) => Array.from({ length: n }, (_, k) => k);
  const sum = (xs) => xs.reduce((a, b) => a + b, 0);
  const linspace = (a, b, n) => range(n).map((k) => a + (k * (b - a)) / (n - 1));
  const geomspace = (a, b, n) => linspace(log(a), log(b), n).map(exp);

  /** A number as Python writes it with `.{digits}f`: an exact tie goes to the even digit. */
  function fixed(value, digits) {
    const exact = abs(value).toFixed(60), point = exact.indexOf(".");
    if (!/^50*$/.test(exact.slice(point + 1 + digits))) return value.toFixed(digits);
    const low = Number(exact.slice(0, point) + exact.slice(point + 1, point + 1 + digits));
    return (Math.sign(value) * ((low + (low % 2)) / 10 ** digits)).toFixed(digits);
  }
  const percent = (value, digits = 0) => `${fixed(100 * value, digits)}%`;
  const whole = (value) => value.toLocaleString("en-US");

  // --- drawing -----------------------------------------------------------------------------------

  /** Uniform numbers in (0, 1) from a seed: mulberry32, in the middle of its 2^32 cells. */
  function generator(seed) {
    let state = seed >>> 0;
    return () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let t = Math.imul(state ^ (state >>> 15), state | 1);
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
      return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 2 ** 32;
    };
  }

  /** The Laplace quantile of a uniform number. */
  const laplaceNoise = (u, scale) => (u < 0.5 ? scale * log(2 * u) : -scale * log(2 - 2 * u));

  /** What an attacker with even odds reaches at most under level ε. */
  const ceiling = (epsilon) => 1 / (1 + exp(-epsilon));

  // --- the Laplace mechanism -----------------------------------------------------------------------

  /** Belief in 3 after `seen`, if the count is 2 or 3. */
  function belief(prior, seen, scale) {
    const odds = (prior / (1 - prior)) * exp((abs(seen - 2) - abs(seen - 3)) / scale);
    return odds / (1 + odds);
  }

  const TOLERANCES = geomspace(0.05, 200, 40);

  function attacker([epsilon, prior, rare, claimed], { data }) {
    const scale = claimed / epsilon;
    const after = data[0].x.map((seen) => belief(prior, seen, scale));
    const low = min(...after), high = max(...after), far = scale * log(1 / rare);
    const bets = low > 0.5 || high < 0.5 ? `${prior > 0.5 ? 3 : 2}, whatever is published`
      : "3 after some answers, 2 after others";
    let note = `The belief ends between ${percent(low, 1)} and ${percent(high, 1)}; the best `
      + `guess is ${bets}. In ${percent(1 - rare, Number.isInteger(round(1e6 * rare) / 1e4) ? 0 : 1)} of cases the error is at most ${fixed(far, 1)}.`;
    if (claimed !== 1) {
      note += ` One person changes the count by 1, so the odds move by up to e^${
        fixed(1 / scale, 2)}: level ε is ${claimed < 1 ? "broken" : "kept, with noise to spare"}.`;
    }
    return [
      { trace: 0, y: after },
      { trace: 1, y: [prior, prior] },
      { trace: 3, y: TOLERANCES.map((t) => exp(-t / scale)) },
      { trace: 4, x: [far], y: [rare] },
      { note },
    ];
  }

  function staircase([epsilon]) {
    const step = 1 / (1 + exp(epsilon / 2)), q = exp(-epsilon);
    const error = epsilon / 2 / sinh(epsilon / 2) / epsilon;
    const top = (1 - q) / (2 * (step + q * (1 - step)));
    const corners = range(3).flatMap((k) => [k, k + step]);
    const x = corners.flatMap((c) => [c, c]).slice(1);
    const y = corners.flatMap((_, k) => Array(2).fill(top * q ** floor((k + 1) / 2))).slice(0, -1);
    const note = `Laplace noise errs by ${fixed(1 / epsilon, 3)} in the mean, the staircase by `
      + `${fixed(error, 3)}: ${percent(error * epsilon)}. The fall is at ${
        fixed(step, 2)} of each unit.`;
    return [
      { trace: 0, y: linspace(-2.5, 2.5, 101).map((v) => (epsilon / 2) * exp(-epsilon * abs(v))) },
      { trace: 1, x: [...x.map((v) => -v).reverse(), ...x], y: [...[...y].reverse(), ...y] },
      { trace: 3, x: [epsilon], y: [error * epsilon] },
      { note },
    ];
  }

  // --- correlated data ----------------------------------------------------------------------------

  /** log p(r | x1 = 0) / p(r | x1 = 1) of two coins with correlation ρ, the second one unknown. */
  function coinRatio(rho, epsilon, r) {
    const like = (v) => exp(-epsilon * (abs(r - v) - abs(r - 1)));
    const [same, other] = [(1 + rho) / 2, (1 - rho) / 2];
    return log((same * like(0) + other * like(1)) / (other * like(1) + same * like(2)));
  }

  /** The leakage to the weak attacker; the largest ratio is at a value of the sum. */
  const coinLeakage = (rho, epsilon) =>
    max(...[0, 1, 2].map((r) => abs(coinRatio(rho, epsilon, r))));

  function twoTuples([rho, epsilon], { data }) {
    const weak = coinLeakage(rho, epsilon) / epsilon;
    const worst = rho === 0 ? "All four learn the same."
      : `The worst one knows ${rho < 0 ? "the other coin" : "nothing"}.`;
    return [
      { trace: 0, y: data[0].x.map((r) => coinRatio(rho, epsilon, r) / epsilon) },
      { trace: 1, y: data[1].x.map((r) => abs(r - 1) - abs(r)) },
      { trace: 2, y: [weak, weak, 1, 1] },
      { note: `Weak attackers learn ${fixed(weak, 2)} ε, strong ones 1.00 ε. ${worst}` },
    ];
  }

  /** The inverse of a positive definite matrix, by Gauss and Jordan without exchanges. */
  function inverse(matrix) {
    const n = matrix.length, rows = matrix.map((row, i) => [...row, ...range(n).map((j) => +(i === j))]);
    for (const k of range(n)) {
      const pivot = rows[k][k];
      rows[k] = rows[k].map((v) => v / pivot);
      for (const i of range(n)) {
        const factor = rows[i][k];
        if (i !== k && factor) rows[i] = rows[i].map((v, j) => v - factor * rows[k][j]);
      }
    }
    return rows.map((row) => row.slice(n));
  }

  /** 1 + ℓ of the attacker of each member who knows those of the set; null for these. */
  function factors(precision, known = new Set()) {
    const unknown = range(precision.length).filter((k) => !known.has(k));
    const covariance = inverse(unknown.map((i) => unknown.map((j) => precision[i][j])));
    const result = precision.map(() => null);
    unknown.forEach((k, i) => { result[k] = sum(covariance[i]) / covariance[i][i]; });
    return result;
  }

  // In how many contexts two members of the karate club met, in the order of the drawn links.
  const MET = "453333222313222263451222345132223332353333342332341213123543542327424224233445";

  /** The club's Laplacian plus τ: whom a drawn link joins is read off its ends. */
  function clubPrecision(tau, { data: [links, members] }) {
    const n = members.x.length;
    const at = new Map(range(n).map((k) => [`${members.x[k]} ${members.y[k]}`, k]));
    const precision = range(n).map((i) => range(n).map((j) => (i === j ? tau : 0)));
    [...MET].forEach((digit, k) => {
      const [i, j] = [3 * k, 3 * k + 1].map((e) => at.get(`${links.x[e]} ${links.y[e]}`));
      for (const [a, b] of [[i, j], [j, i]]) {
        precision[a][a] += Number(digit);
        precision[a][b] -= Number(digit);
      }
    });
    return precision;
  }

  /** The numbers in a text; an error says what is wrong with it. */
  function numbers(text, label, { least = 0, most = 10_000, whole = true, count, distinct } = {}) {
    const found = text.split(/[\s,;]+/).filter(Boolean).map(Number);
    const good = (v) => v >= least && v <= most && (!whole || Number.isInteger(v));
    if (!found.every(good) || (count && found.length !== count)
      || (distinct && new Set(found).size < found.length)) {
      throw new RangeError(`${label}: ${count ?? "only"} ${whole ? "whole " : ""}numbers from ${
        least} to ${most}${distinct ? ", each once" : ""}, please, not “${text}”.`);
    }
    return found;
  }

  function network([tau], stored, [text] = [""]) {
    const { x, y } = stored.data[1], n = x.length;
    const known = numbers(text, "Known members", { least: 1, most: n, distinct: true });
    if (known.length === n) throw new RangeError("Known members: leave out one, the target.");
    const f = factors(clubPrecision(tau, stored), new Set(known.map((k) => k - 1)));
    const shown = f.map((v) => v ?? 1), shade = shown.map((v) => log10(max(v, 1)));
    const free = range(n).filter((k) => f[k] !== null);
    const top = free.reduce((a, b) => (f[b] > f[a] ? b : a));
    const low = free.reduce((a, b) => (f[b] < f[a] ? b : a));
    const told = known.length ? ` ${known.length} known` : "";
    return [
      {
        trace: 1, "marker.color": shade,
        hovertext: f.map((v, k) => `${k + 1}: ${v === null ? "known" : `1 + ℓ = ${fixed(v, 2)}`}`),
        "textfont.color": shade.map((v) => (v > 0.75 ? "#111111" : "#ffffff")),
        ...(known.length && { "marker.symbol": f.map((v) => (v === null ? "square" : "circle")) }),
      },
      { trace: 2, x: [x[top]], y: [y[top]] },
      { note: `τ = ${tau}${told && `,${told}`}: largest 1 + ℓ = ${fixed(f[top], 2)} (member ${
        top + 1}), smallest ${fixed(f[low], 2)} (member ${low + 1}).` },
    ];
  }

  /** What a click on a member makes of the list of those known. */
  function toggle(text, point) {
    const known = new Set(text.split(/[\s,;]+/).filter(Boolean).map(Number));
    if (!known.delete(point + 1)) known.add(point + 1);
    return [...known].sort((a, b) => a - b).join(", ");
  }

  // --- sampling and PRAM --------------------------------------------------------------------------

  /** Twelve levels: three attackers by four releases (see privlib.disclosure.knowledge). */
  function levelMap({ n, known, size, keep, categories, shown }) {
    const gamma = (1 - keep) / (1 + (categories - 1) * keep), c = 1 / known;
    const times = 2 * shown <= size ? shown : size; // no room for a second value
    const own = c + (1 - c) * gamma;
    const plain = { gamma: 0, g2: 0, own: c, mixed: 0 };
    const noise = { gamma, g2: gamma ** 2, own, mixed: own / (c + (1 - c) / gamma) };
    const columns = [[size, 1, plain], [size, times, plain], [n, 1, noise], [size, 1, noise]];
    const levels = columns.map(([s, f, law]) => {
      const rest = s - f, left = n - known - s + 1;
      const ends = [max(0, -left), min(known, s) - 1].map((k) =>
        (left + k) * law.own + (known - 1 - k) * law.gamma + k * law.g2 + (rest - k) * law.mixed);
      const sure = f + rest * law.g2;
      return [f + min(...ends), sure + (n - s) * law.gamma, sure];
    });
    return range(3).map((row) => levels.map((column) => column[row]));
  }

  /** At least three digits, rounded down: a level is a promise. */
  function written(level) {
    const unit = min(1, 10 ** (floor(log10(level)) - 2)), down = floor(level / unit + 1e-9) * unit;
    return level < 1000 ? String(Number(down.toPrecision(3))) : whole(round(down));
  }

  function knowledgeMap([n, known, share, keep, categories, shown]) {
    const size = max(1, round(share * n));
    const levels = levelMap({ n, known, size, keep, categories, shown: min(shown, size) });
    const text = levels.map((row) => row.map(written));
    return [
      { trace: 0, z: levels.map((row) => row.map(log10)), text },
      { note: `PRAM and sample: k = ${text[0][3]} for who knows ${known} records, ${
        text[1][3]} for who knows the table, ${text[2][3]} for who knows who took part.`
        + (shown === 5 ? "" : ` A sample alone that shows each value at least ${shown} times: k = ${
          text[0][1]}, ${text[1][1]}, ${text[2][1]} for the same three.`) },
    ];
  }

  /** Level of retention, and standard error of a share in percentage points. */
  function prices(n, size, keep, categories, share) {
    const gamma = (1 - keep) / (1 + (categories - 1) * keep), b = (1 - keep) / categories;
    const rewriting = (share * (keep + b) * (1 - keep - b) + (1 - share) * b * (1 - b)) / keep ** 2;
    const variance = rewriting / size + ((n - size) / (size * (n - 1))) * share * (1 - share);
    return [1 + (n - size) * gamma + (size - 1) * gamma ** 2, 100 * sqrt(variance)];
  }

  /** The least error of all sample sizes with retention of this level. */
  function leastError(n, level, categories, share) {
    return min(...range(n).map((k) => {
      const root = sqrt((n - k - 1) ** 2 + 4 * k * (level - 1));
      const gamma = min((2 * (level - 1)) / (n - k - 1 + root), 1);
      return prices(n, k + 1, (1 - gamma) / (1 + (categories - 1) * gamma), categories, share)[1];
    }).filter((v) => v > 0));
  }

  function pram([part, keep, share, categories], { sliders }) {
    const at = (p, r) => prices(1000, max(1, round(1000 * p)), r, categories, share);
    const [parts, keeps] = sliders.map(({ readouts }) => readouts.map(parse));
    const [k, error] = at(part, keep);
    const line = (points) => ({ x: points.map((p) => p[0]), y: points.map((p) => p[1]) });
    const count = categories === 10 ? "ten" : categories;
    return [
      { trace: 1, ...line(parts.map((p) => at(p, keep))) },
      { trace: 2, ...line(keeps.map((r) => at(part, r))) },
      { trace: 3, x: [k], y: [error] },
      { note: `${round(1000 * part)} of 1000 records, retention ${percent(keep)}: k = ${
        fixed(k, 2)}, standard error ${fixed(error, 2)} points. The least error with ${
        count} categories is ${fixed(leastError(1000, k, categories, share), 2)}.` },
      ...(share === 0.1 && categories === 10 ? [] : [
        { trace: 0, ...line(geomspace(0.02, 499, 60).map((v) =>
          [1 + v, leastError(1000, 1 + v, categories, share)])) },
        { layout: { "xaxis.range": [-0.04, 3.05], "yaxis.range": [-1.4, 2.6] } },
      ]),
    ];
  }

  // --- location histograms ------------------------------------------------------------------------

  /** Least cost of moving `before` to `after`, real masses: shortest augmenting paths. */
  function transport(before, after, cost) {
    const n = before.length, supply = [...before], demand = [...after], tiny = 1e-11 * sum(before);
    const flow = before.map(() => after.map(() => 0));
    for (;;) {
      const rows = supply.map((v) => (v > tiny ? 0 : Infinity)), columns = demand.map(() => Infinity);
      const into = [], back = [];
      for (let moved = true; moved;) {
        moved = false;
        for (const i of range(n)) for (const j of range(n)) {
          if (rows[i] + cost[i][j] < columns[j] - 1e-12) {
            [columns[j], into[j], moved] = [rows[i] + cost[i][j], i, true];
          }
          if (flow[i][j] > tiny && columns[j] - cost[i][j] < rows[i] - 1e-12) {
            [rows[i], back[i], moved] = [columns[j] - cost[i][j], j, true];
          }
        }
      }
      const open = range(n).filter((j) => demand[j] > tiny);
      if (!open.length) return sum(flow.flatMap((row, i) => row.map((v, j) => v && v * cost[i][j])));
      const end = open.reduce((a, b) => (columns[b] < columns[a] ? b : a));
      if (columns[end] === Infinity) return Infinity; // a state that nobody can reach
      const path = [];
      let j = end, i = into[j];
      for (; back[i] !== undefined; j = back[i], i = into[j]) path.push([i, j, back[i]]);
      const amount = min(supply[i], demand[end], ...path.map(([row, , column]) => flow[row][column]));
      for (const [row, column, left] of path) {
        flow[row][column] += amount;
        flow[row][left] -= amount;
      }
      flow[i][j] += amount;
      supply[i] -= amount;
      demand[end] -= amount;
    }
  }

  const predict = (before, P) => before.map((_, j) => {
    const mass = sum(before.map((v, i) => v * P[i][j]));
    return abs(mass - round(mass)) <= 1e-12 * max(1, mass) ? round(mass) : mass;
  });

  /** What one person less saves, for every way that she may have gone. */
  function savings(before, after, P) {
    const cost = P.map((row) => row.map((p) => -log(p)));
    const total = transport(before, after, cost), less = (h, k) => h.map((v, j) => v - (j === k));
    return P.map((row, i) => row.map((_, j) => (before[i] < 1 || after[j] < 1 ? NaN
      : total - transport(less(before, i), less(after, j), cost))));
  }

  /** The printed gain of every guess, as a function of what is published; null without a prior. */
  function gains(before, P) {
    const forecast = predict(before, P);
    const short = forecast.findIndex((v) => v > 0 && v < 1);
    if (short >= 0) {
      throw new RangeError(`The forecast has ${fixed(forecast[short], 2)} people in state ${
        short + 1}: less than one whom a guess could be about.`);
    }
    const prior = savings(before, forecast, P);
    return (published) => savings(before, published, P).map((row, i) => row.map((after, j) => {
      if (!before[i] || !P[i][j]) return null;
      return published[j] < 1 ? 0 : exp(after - prior[i][j]);
    }));
  }

  /** Histogram with another number in one bar: the fullest other bar gives one by one, the emptiest takes. */
  function move(bars, bar, value) {
    const result = [...bars], others = range(bars.length).filter((k) => k !== bar);
    const wanted = max(0, min(sum(bars), value)), step = Math.sign(wanted - bars[bar]);
    while (result[bar] !== wanted) {
      const other = others.reduce((a, b) => (step * (result[b] - result[a]) > 0 ? b : a));
      result[bar] += step;
      result[other] -= step;
    }
    return result;
  }

  const TOWN = ["6, 7, 6, 8", "6, 9, 8, 4", "2 7 2 9; 13 2 1 4; 5 2 7 6; 1 1 5 13"];
  let town; // that of the last call: its curve takes eighty tables

  function townOf(texts) {
    if (town?.key === texts.join("|")) return town;
    const places = { count: 4, most: 1000 };
    const before = numbers(texts[0], "People before", places);
    const truth = numbers(texts[1], "People now", places);
    if (sum(before) !== sum(truth)) {
      throw new RangeError(`People now: ${sum(before)} in all, as before, not ${sum(truth)}.`);
    }
    const chances = numbers(texts[2], "Moves", { count: 16, whole: false });
    const P = range(4).map((i) => chances.slice(4 * i, 4 * i + 4))
      .map((row) => row.map((v) => v / sum(row)));
    if (!P.flat().every((v) => v >= 0)) throw new RangeError("Moves: no row without a number above 0.");
    const forecast = predict(before, P), table = gains(before, P);
    const mixed = (alpha) => truth.map((v, j) => v + alpha * (forecast[j] - v));
    const curve = range(81).map((k) => max(...table(mixed(k / 80)).flat()));
    if (!curve.every(Number.isFinite)) throw new RangeError("People now: nobody can have gone so.");
    town = { key: texts.join("|"), truth, forecast, table, mixed, curve };
    return town;
  }

  function alphaGain([alpha, epsilon], stored, texts = TOWN) {
    const { truth, forecast, table, mixed, curve } = townOf(texts);
    const published = mixed(alpha), now = table(published), bound = exp(epsilon);
    const every = now.flat(), top = max(...every), shown = every.map((v) => v && fixed(v, 2));
    const tenth = every.map((v) => round((v ?? 0) * 1e9)), at = tenth.indexOf(max(...tenth));
    const [i, j] = [floor(at / 4), at % 4];
    const alone = shown.filter((v) => v === fixed(top, 2)).length === 1;
    let told = alone ? `Largest gain ${fixed(top, 2)}, guess from ${i + 1} to ${j + 1}`
      : `No gain is above ${fixed(top, 2)}, and several guesses reach it`;
    if (shown.every((v) => v === null || v === "1.00")) told = "All gains are 1";
    const loss = sum(published.map((v, k) => abs(v - truth[k])));
    return [
      { trace: 1, y: published },
      { trace: 3, z: now },
      { trace: 5, y: curve.map((v) => (v <= bound ? v : null)) },
      { trace: 6, y: [bound, bound] },
      { trace: 7, x: [alpha], y: [top] },
      { layout: {
        "shapes[0].x0": j + 0.53, "shapes[0].x1": j + 1.47,
        "shapes[0].y0": i + 0.53, "shapes[0].y1": i + 1.47, "shapes[0].visible": alone } },
      { note: `${told}; bound ${fixed(bound, 2)}: ${top <= bound ? "allowed" : "not allowed"}. `
        + `The histogram is off by ${fixed(round(loss * 1e9) / 1e9, 1)} (L1).` },
      ...(texts.every((text, k) => text === TOWN[k]) ? [] : [
        { trace: 0, y: truth }, { trace: 2, y: forecast }, { trace: 4, y: curve },
        { layout: {
          "yaxis.range": [0, 1.2 * max(...truth, ...forecast)],
          "yaxis3.range": [0, 1.1 * max(bound, ...curve)] } },
      ]),
    ];
  }

  // --- count sketches -----------------------------------------------------------------------------

  const CLICKS = 49742;
  const UPS = [["CMS", "mga"], ["HCMS", "mga"], ["CMS", "ria"], ["CMS", "rpa"]];
  const DOWNS = [["CMS", "demotion"], ["HCMS", "demotion"], ["HCMS", "rpa"]];

  /** What the server multiplies a sign with; the signs of CMS share ε between two. */
  const constant = (scheme, epsilon) => 1 / Math.tanh(scheme === "HCMS" ? epsilon / 2 : epsilon / 4);

  /** Expected gain of r targets together from one fake (see privlib.sketch.poisoning). */
  function fakeGain(scheme, attack, { epsilon, targets, width }) {
    const c = constant(scheme, epsilon), sign = { rpa: 0, mga: c, demotion: -c }[attack];
    const level = attack === "ria" ? 1 + (targets - 1) / width
      : targets * (scheme === "HCMS" ? sign : (sign + 1) / 2);
    return (width / (width - 1)) * (level - targets / width);
  }

  /** Standard deviation of the gain of RIA on CMS in one run, over fakes and hash family. */
  function riaDeviation({ epsilon, targets: r, width: m, hashes: k }, sent) {
    const c = constant("CMS", epsilon), mean = 1 + (r - 1) / m, spread = ((r - 1) / m) * (1 - 1 / m);
    const shared = (2 * spread) / (k * r), factor = m / (m - 1);
    const one = (1 - 1 / c ** 2) * r * mean + (4 / c ** 2) * (spread - shared);
    return sqrt(sent * ((factor * c) / 2) ** 2 * one + (sent * factor) ** 2 * shared);
  }

  function poisoning([epsilon, beta, targets, width, hashes], { sliders }) {
    const sent = floor((CLICKS * beta) / (1 - beta) + 1e-9), levels = sliders[0].readouts.map(parse);
    const gain = ([scheme, attack], e) => (attack === "demotion" || scheme + attack === "HCMSrpa" ? -1 : 1)
      * sent * fakeGain(scheme, attack, { epsilon: e, targets, width });
    const kinds = [...UPS, ...DOWNS], here = kinds.map((kind) => gain(kind, epsilon));
    const dots = here.map((v) => Number(fixed(v, 0))), now = dots.map(whole);
    const one = whole(round(riaDeviation({ epsilon, targets, width, hashes }, sent)));
    const ring = (k, y) => ({ trace: k, x: y.map(() => epsilon), y });
    return [
      ...kinds.map((kind, k) => ({ trace: k, y: levels.map((e) => gain(kind, e)) })),
      ring(7, dots.slice(0, 4)), ring(8, dots.slice(4)),
      { note: `${whole(sent)} fakes. MGA adds ${now[0]} clicks on CMS, ${now[1]} on HCMS; RIA ${
        now[2]} on both. Demotion takes ${now[4]} on CMS, ${now[5]} on HCMS.`
        + (width === 128 && hashes === 1024 ? "" : ` With k = ${hashes} rows of m = ${
          width}, one run of RIA on CMS adds ${now[2]} ± ${one}.`) },
    ];
  }

  /** What a client of HCMS, 8 of 11 slots, sees before it decides: [votes of its report, chance]. */
  function branches(variant, many) {
    const p = 8 / 11, c = 11 / 5, m = 128;
    const worth = (s) => (m / (m - 1)) * (c * s - many / m);
    if (variant === 3) return [[worth(many), 1]]; // no coin to be seen
    if (variant === 5) return [[worth(-many), 1 - p], [worth(many), p]];
    // Own sign times the sum of all: one, and the others' signs, fair but in the first column.
    const chance = range(many + 1).map(() => 0);
    let ways = 1; // to choose the others that are plus one
    for (const plus of range(many)) {
      const found = (ways / 2 ** (many - 1)) * (1 - 1 / m) + (plus === many - 1 ? 1 / m : 0);
      chance[plus + 1] += found * p;
      chance[many - 1 - plus] += found * (1 - p);
      ways *= (many - 1 - plus) / (plus + 1);
    }
    return chance.map((q, k) => [worth(2 * k - many), q]);
  }

  /** Mean gain and unfinished share of who answers from so many votes on. */
  function played(cases, least) {
    const answered = cases.filter(([value]) => value >= least);
    return [sum(answered.map(([value, q]) => value * q)), max(0, 1 - sum(answered.map(([, q]) => q)))];
  }

  function cheat([variant, many, least]) {
    const cases = branches(variant, many), floor = least * many;
    const answered = cases.map(([value, q]) => (value >= floor ? q : 0));
    const curve = [-Infinity, ...cases.map(([value]) => value + 0.01)].map((level) => played(cases, level));
    const [votes, open] = played(cases, floor), [best, never] = played(cases, 0);
    return [
      { trace: 0, x: cases.map(([value]) => value), y: answered },
      { trace: 1, x: cases.map(([value]) => value), y: cases.map(([, q], k) => q - answered[k]) },
      { trace: 2, x: [floor, floor] },
      { trace: 3, x: curve.map(([, share]) => share), y: curve.map(([gain]) => gain / many) },
      { trace: 4, x: [open], y: [votes / many] },
      { layout: { "annotations[0].text": `${fixed(votes, 2)} votes a session<br>${percent(open)} never end` } },
      { note: `V${variant}, ${many} target${many > 1 ? "s" : ""}: the client ${
        variant === 3 ? "sees no coin" : "sees the coin and decides"}. It gains ${
        fixed(votes, 2)} votes a session, ${percent(open)} of its sessions never end; the best gains ${
        fixed(best, 2)}, with ${percent(never)}.` },
    ];
  }

  /** The number that a readout shows. */
  function parse(readout) {
    return parseFloat(readout.replaceAll(",", "")) / (/%/.test(readout) ? 100 : 1);
  }

  // --- the registry -------------------------------------------------------------------------------
  // `extra` sliders and `texts` come after the stored sliders; `compute` takes both.

  const slider = (label, start, ...readouts) => ({ label, start, readouts });
  const categories = slider("categories N", 2, "2", "5", "10", "50");

  const figures = {
    attacker: {
      compute: attacker, extra: [slider("sensitivity assumed", 2, "0.25", "0.5", "1", "2", "4")] },
    staircase: { compute: staircase },
    "two-tuples": { compute: twoTuples },
    network: { compute: network, toggle, texts: [{ label: "Known members", start: "" }] },
    "knowledge-map": {
      compute: knowledgeMap, extra: [categories, slider("shown at least f times", 1, "2", "5", "10")] },
    pram: {
      compute: pram,
      extra: [slider("share of the value", 2, "1%", "5%", "10%", "30%", "50%"), categories] },
    "alpha-gain": {
      compute: alphaGain,
      drag: { trace: 0, text: 1, move, hint: "The bars of the truth can be dragged up and down; so that the total "
        + "stays, the fullest other bar gives and the emptiest takes. With the keyboard, type into “People now”." },
      texts: ["People before", "People now", "Moves, row by row"]
        .map((label, k) => ({ label, start: TOWN[k] })) },
    poisoning: {
      compute: poisoning,
      extra: [slider("width m", 2, "16", "64", "128", "1024"), slider("rows k", 2, "16", "128", "1024")] },
    "sk-05-cheat": { compute: cheat },
  };

  return {
    belief, branches, ceiling, clubPrecision, coinLeakage, coinRatio, factors, fakeGain, figures, fixed,
    gains, generator, inverse, laplaceNoise, leastError, levelMap, linspace, move, numbers, parse, percent,
    prices, range, riaDeviation, slider, sum, toggle, transport, whole,
    written,
  };
})();
