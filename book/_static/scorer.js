// What the search of Sphinx does otherwise here: the order of what it finds, and the words that it looks for.
"use strict";

// Sphinx adds to its points, which put titles before texts; it would order pages of equal points by the alphabet.
var Scorer = { // Sphinx asks whether there is one, and declares its own with `var`, too
  // As Sphinx has them.
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,

  // The course first, in its order, as a page explains a term before others use it; then notes and pages
  // around them, what lists everything, and last the checks.
  score([page, , , what, points]) {
    const order = [
      /^book\/(laplace|correlated|disclosure|location|sketch)$/, /^notebooks\/laplace/, /^notebooks\/correlated/,
      /^notebooks\/disclosure/, /^notebooks\/location/, /^notebooks\/sketch/, /^book\/(glossary|use)/, /^notebooks\/research/,
      /^book\/repaired/, /^book\/(?!ledger|api|errata|exercises|seminar|outside)/, /^book\/api/, /^book\/(ledger|errata)/,
      /^book\//, /^notebooks\/evidence/,
    ];
    const place = order.findIndex((kind) => kind.test(page));
    const number = Number(page.match(/\/(\d+)-/)?.[1] ?? 99);
    const method = what?.startsWith("Python method") || what?.startsWith("Python attribute"); // named like a term, often
    return (method ? Math.min(points, 4) : points) + 0.9 - (place < 0 ? order.length : place) * 0.05 - number * 0.0004;
  },
};

// The words of what is asked. Sphinx splits where a word ends, and the index has 定理 and 5.3 as words of their own:
// 定理5.3 asks for what 定理 5.3 asks for.
var splitQuery = (query) => query
  .replace(/([\p{Script=Han}\p{Script=Katakana}ー])(?=\d)/gu, "$1 ")
  .split(/[^\p{Letter}\p{Number}_\p{Emoji_Presentation}]+/gu)
  .filter((word) => word);
