// Write book/_static/plotly-small.min.js: plotly.js with the traces that our live figures have (lines and
// points, bars, heat maps) and nothing else. It needs node and npm, and is run by hand:
//
//     npm install --prefix _build/plotly --ignore-scripts plotly.js@4.1.1 esbuild@0.28.2
//     node tools/plotly.mjs
//
// The version is to have the major number of the plotly.js in the Python package; a test compares them.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const installed = createRequire(`${root}/_build/plotly/node_modules/`);
const { build } = installed("esbuild");
const { version } = installed("plotly.js/package.json");

const entry = `
  const Plotly = require("plotly.js/lib/core");
  Plotly.register([require("plotly.js/lib/bar"), require("plotly.js/lib/heatmap")]);
  module.exports = Plotly;
`;

await build({
  stdin: { contents: entry, resolveDir: `${root}/_build/plotly` },
  outfile: `${root}/book/_static/plotly-small.min.js`,
  allowOverwrite: true,
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "Plotly",
  target: "es2020",
  alias: { stream: "stream-browserify" },
  define: { global: "window", "define.amd": "false", "process.env.NODE_DEBUG": "false" },
  banner: {
    js: `/* plotly.js v${version} (scatter, bar, heatmap), Copyright 2012-2026 Plotly, Inc., MIT licence:\n`
      + "   plotly-small.LICENSE.txt. Made by tools/plotly.mjs. */",
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
