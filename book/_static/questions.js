/* What to guess before a control is moved, and the answer: for each slider, then each text.
 *
 * A third entry says which values there are: `WHOLE` numbers only, or those of the `GRID` only.
 * Tests compute every number that an answer names.
 */
"use strict";

privlib.questions = (() => {
  const WHOLE = { whole: true }, GRID = { grid: true };
  return {
    attacker: [
      ["from which ε on can an answer turn the bet, if the belief before is 10%?",
        "From log 9 = 2.20 on: the odds 1 to 9 need a factor 9, and e^ε is the most."],
      ["can a release at ε = 5 make a belief of 50% certain?",
        "No: odds of 1 become at most e^5, a belief of 99.3%."],
      ["halve δ: does the tolerance double?",
        "No, it grows by log 2 / ε: the chance falls exponentially."],
      ["what if a person counts 1 and the noise is made for a half?",
        "The odds move by up to e^(2ε): half the noise, twice the level."],
    ],
    staircase: [
      ["at which ε has the staircase half the error of Laplace noise?",
        "At 4.35, where (ε/2) / sinh(ε/2) = 1/2. At ε = 1 it saves 4% only."],
    ],
    "two-tuples": [
      ["for which ρ does the attacker who knows nothing learn more than ε?",
        "For every ρ above 0; below 0 the other coin hides this one."],
      ["does more noise make the surplus, as a multiple of ε, smaller?",
        "For ρ above 0 no, larger: as ε falls, weak attackers come near (1 + ρ) ε."],
    ],
    network: [
      ["as τ falls, where do all values go?",
        "To 34: without a prior, all others are expected to move with the target."],
      ["let the attacker know member 34: click on it, or type. Who learns more about others?",
        "Nobody: in this model knowing more never raises what is learnt about the rest."],
    ],
    "cheapest-live": [
      ["in which networks is somebody left out at ε = 3?",
        "Move on: the note names who is left out, and crosses mark them."],
      ["is the cheapest answer always much better than the plain one?",
        "No: compare the first and the last bar as ε grows."],
    ],
    "knowledge-map": [
      ["which of the twelve levels do not grow with the table?",
        "Four: those of the two samples without PRAM, in the two lower rows.", WHOLE],
      ["does a plain sample keep its level when she knows more records?",
        "No: it falls nearly as one over their number.", WHOLE],
      ["values are rewritten; against whom does a larger sample protect better?",
        "Against who knows who took part; the level above it falls."],
      ["does keeping more values weaken the sample without PRAM?",
        "No: its two columns stand still. That of PRAM alone falls towards 1 against who knows the table."],
      ["with more categories, is the same ρ safer?",
        "No: a value that comes by chance gets rarer, so a shown one tells more.", WHOLE],
      ["which column changes when each value is shown more often?", "The second alone.", WHOLE],
    ],
    pram: [
      ["leave out 5% of all at ρ = 0.8: does the level hardly change, too?",
        "No: it rises from 1.59 to 2.78, and the error hardly moves."],
      ["for k = 10, is it better to draw a tenth or to rewrite everybody?",
        "To rewrite: 1.7 points of error, against 3.2."],
      ["with strong noise, is a rare value estimated worse than a common one?",
        "In points no, a little better; relative to its own share, far worse."],
      ["with fewer categories, is the same level dearer?",
        "No, cheaper: the thick grey line falls with N.", WHOLE],
    ],
    "alpha-gain": [
      ["which α is allowed at ε = 0.7: every one from some value on?",
        "No: those from 0.4745 to 0.5251, and from 0.6125 on."],
      ["does a smaller ε only move the ends of these stretches?",
        "No: at ε = 0.5 the first of them is gone."],
      ["type 12, 14, 12, 16 here and 12, 18, 16, 8 below: twice everything. Is α = 0.5 still allowed?",
        "No: its largest gain goes from 1.79 to 4.91."],
      ["nobody seems to have moved: type 6, 7, 6, 8. Is the truth (α = 0) allowed?",
        "No: the gain of staying in 2 is 6.78. Staying there is rare."],
      ["type sixteen ones: all moves alike. Is any gain above 1?",
        "By equation (3) no, as all likeliest ways weigh the same. The exact gain of going to 2 is 1.33."],
    ],
    dial: [
      ["which of the three stands still when ε goes from 0.25 to 1.75?",
        "The small unit: it has one release for all levels below 1.79."],
    ],
    poisoning: [
      ["which attack does not profit when ε gets smaller?",
        "RIA and RPA: only MGA and demotion ride on the factor that removes the noise."],
      ["is twice the share of fakes worth twice as much?",
        "A little more: a share β of all is β/(1 − β) of the honest."],
      ["which attack does not profit from more targets?",
        "RIA, as one honest report is one click, whatever its targets; and RPA on HCMS.", WHOLE],
      ["does a wider row m stop MGA?",
        "No: on CMS a fake's gain only comes down to (c + 1)/2 a target.", GRID],
      ["do more rows k stop MGA?",
        "No: k is not in its gain. It makes one run of RIA more certain.", GRID],
    ],
    "sk-05-cheat": [
      ["in which variant does the choice to answer gain nothing?",
        "In V3: its client sees no coin.", GRID],
      ["with more targets, does V6 leave the client as much as V5?",
        "No: in V6 signs of targets differ, so that their sum grows slower.", WHOLE],
      ["from how many votes on should a cheat answer?",
        "From 0: every report that is worth more than nothing."],
    ],
    "bet-laplace": [
      ["how often is the best bet right at ε = 1?",
        "In 69.7% of the releases. The level allows 73.1%; Laplace noise stays below."],
    ],
    "bet-coins": [
      ["from which ρ on does the best bet beat what ε = 1 alone allows?",
        "From about 0.462 on: the other coin tells on the first one."],
      ["does the leakage, as a multiple of ε, fall when ε grows?",
        "For ρ above 0 it does; the hits go on growing."],
    ],
    "bet-table": [
      ["draw half of the records, with retention 0.8: does the best bet hit half as often?",
        "More often than that: in 38% instead of 62% of the releases."],
      ["retention 0.5 instead of 0.8: does the bound 1/k fall by half?",
        "By less: from 94% to 59%, when all are drawn."],
      ["she is the first of value A. Does it protect her if more people share it?",
        "Yes: type 4, 4, 4. The bound 1/k is for every table of as many, and stays."],
    ],
    "bet-move": [
      ["she stays with probability 0.7: how often do the numbers change your bet at ε = 1?",
        "Never: the odds of another place against A, 0.15 to 0.7, need a factor 4.67, and e^ε is 2.72."],
      ["with numbers that are nearly exact, are you nearly always right?",
        "No: others move too. With 1, 2, 1 and 0.40 you are right in 58% at ε = 5, and in 60.5% with exact numbers."],
      ["does a crowd hide her?",
        "Yes: at ε = 5 and 0.40, type 1, 0, 0: right in 85%. Type 2, 2, 2: in 54%. The bound is for every crowd, and stays."],
    ],
    "bet-report": [
      ["how often is the best bet right at ε = 2?",
        "In 72.9% of the reports; in 88.1% of those where just one sign is +1."],
      ["with two cells only, is the best bet right more often?",
        "No: in every other row tea and milk have one cell, and only chance is left.", GRID],
    ],
  };
})();
