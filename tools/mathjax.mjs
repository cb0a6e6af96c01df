// Write book/_static/mathjax/small.js: of MathJax what sets the formulas of the book in one file, TeX with the
// commands of AMS and \class, by which a repaired paper marks what changed. It is made from MathJax's TypeScript
// for browsers of today; MathJax's own files spell out each class and each loop for those of 2009, and weigh twice
// as much. The fonts are those of the Python package.
// It needs node and npm, and is run by hand:
//
//     npm install --prefix _build/mathjax --ignore-scripts mathjax-full@3.2.2 esbuild@0.28.2
//     node tools/mathjax.mjs
//
// The version is to be that of the Python package; a test compares them.
import { copyFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const installed = createRequire(`${root}/_build/mathjax/node_modules/`);
const { build } = installed("esbuild");
const { version } = installed("mathjax-full/package.json");

// No menu (400 kB, and each formula a stop of the Tab key) and no speech; screen readers get MathML.
const entry = `
  import { combineDefaults, combineWithMathJax } from "mathjax-full/ts/components/global";
  import { CONFIG, MathJax, Startup } from "mathjax-full/ts/components/startup";
  import { AssistiveMmlHandler } from "mathjax-full/ts/a11y/assistive-mml";
  import { browserAdaptor } from "mathjax-full/ts/adaptors/browserAdaptor";
  import * as item from "mathjax-full/ts/core/MathItem";
  import * as visitor from "mathjax-full/ts/core/MmlTree/SerializedMmlVisitor";
  import { HTMLHandler } from "mathjax-full/ts/handlers/html/HTMLHandler";
  import { TeX } from "mathjax-full/ts/input/tex";
  import "mathjax-full/ts/input/tex/ams/AmsConfiguration";
  import "mathjax-full/ts/input/tex/html/HtmlConfiguration";
  import "mathjax-full/ts/input/tex/noundefined/NoUndefinedConfiguration";
  import { mathjax } from "mathjax-full/ts/mathjax";
  import { CHTML } from "mathjax-full/ts/output/chtml";

  const fontURL = new URL("output/chtml/fonts/woff-v2", document.currentScript.src).href;
  combineDefaults(MathJax.config, "chtml", { fontURL });
  combineDefaults(MathJax.config, "tex", { packages: ["base", "ams", "html", "noundefined"] });
  // Startup looks for these by name.
  combineWithMathJax({ _: { mathjax: { mathjax }, core: { MathItem: item, MmlTree: { SerializedMmlVisitor: visitor } } } });
  for (const [name, made] of Object.entries({ HTMLHandler, browserAdaptor, tex: TeX, chtml: CHTML }))
    Startup.registerConstructor(name, made);
  Startup.useHandler("HTMLHandler");
  Startup.useAdaptor("browserAdaptor");
  Startup.useInput("tex");
  Startup.useOutput("chtml");
  Startup.extendHandler((handler) => AssistiveMmlHandler(handler));
  // Other scripts read what is written before its formulas are set, and the page is there before them.
  addEventListener("DOMContentLoaded", () => setTimeout(() => CONFIG.ready()));
`;

await build({
  stdin: { contents: entry, resolveDir: `${root}/_build/mathjax`, loader: "ts" },
  outfile: `${root}/book/_static/mathjax/small.js`,
  allowOverwrite: true,
  bundle: true,
  minify: true,
  charset: "utf8",
  format: "iife",
  target: "es2020",
  define: { global: "window" },
  tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
  banner: {
    js: `/* MathJax v${version} (TeX with AMS and html, HTML with CSS, MathML for screen readers), Copyright 2009-2022 The MathJax\n`
      + "   Consortium, Apache Licence 2.0: small.LICENSE.txt. Made by tools/mathjax.mjs. */",
  },
});

const licence = `${root}/_build/mathjax/node_modules/mathjax-full/LICENSE`;
await copyFile(licence, `${root}/book/_static/mathjax/small.LICENSE.txt`);
