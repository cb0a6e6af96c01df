// Write book/_static/plotly-small.min.js: plotly.js with the traces that our live figures have (lines and
// points, bars, heat maps) and nothing else. It needs node and npm, and is run by hand:
//
//     npm install --prefix _build/plotly --ignore-scripts plotly.js@4.1.1 esbuild@0.28.2
//     node tools/plotly.mjs
//
// The version is to have the major number of the plotly.js in the Python package; a test compares them.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const installed = createRequire(`${root}/_build/plotly/node_modules/`);
const { build } = installed("esbuild");
const { version } = installed("plotly.js/package.json");

const more = ["bar", "heatmap"]; // the core brings "scatter"
const entry = `
  const Plotly = require("plotly.js/lib/core");
  Plotly.register([${more.map((name) => `require("plotly.js/lib/${name}")`)}]);
  module.exports = Plotly;
`;

const { metafile } = await build({
  stdin: { contents: entry, resolveDir: `${root}/_build/plotly` },
  outfile: `${root}/book/_static/plotly-small.min.js`,
  allowOverwrite: true,
  bundle: true,
  metafile: true,
  minify: true,
  format: "iife",
  globalName: "Plotly",
  target: "es2020",
  alias: { stream: "stream-browserify" },
  define: { global: "window", "define.amd": "false", "process.env.NODE_DEBUG": "false" },
  banner: {
    js: `/* plotly.js v${version} (${["scatter", ...more].join(", ")}), Copyright 2012-2026 Plotly, Inc., MIT licence, and\n`
      + "   others: plotly-small.LICENSE.txt. Made by tools/plotly.mjs. */",
  },
  plugins: [{
    // The core asks for the style sheet of its maps, which are not there.
    name: "no style of maps",
    setup: (bundle) => bundle.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      if (path.includes("maplibre-gl")) return { contents: "", loader: "js" };
      throw new Error(`${path}: a style sheet that is not left out on purpose, ${(await readFile(path)).length} bytes`);
    }),
  }],
});

// The licences of all packages of which something is in the file, plotly.js first.
const packages = new Set(["plotly.js"]);
for (const path of Object.keys(metafile.inputs)) {
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  if (name && Object.values(metafile.outputs)[0].inputs[path]?.bytesInOutput) packages.add(name);
}
const texts = [];
for (const name of packages) {
  const folder = `${root}/_build/plotly/node_modules/${name}`;
  const found = (await readdir(folder)).find((file) => /^licen[cs]e/i.test(file));
  const told = installed(`${folder}/package.json`);
  const text = found ? await readFile(`${folder}/${found}`, "utf8") : `Licence: ${told.license}\n`;
  texts.push(`${name} ${told.version}\n\n${text.trim()}\n`);
}
const line = `\n${"-".repeat(80)}\n\n`;
await writeFile(`${root}/book/_static/plotly-small.LICENSE.txt`, texts.join(line));
