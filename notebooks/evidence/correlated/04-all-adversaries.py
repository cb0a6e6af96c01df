# ---
# jupyter:
#   jupytext:
#     cell_metadata_filter: all,-trusted
#     notebook_metadata_filter: kernelspec,jupytext,mystnb,html_meta
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#       jupytext_version: 1.19.6
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Evidence: Why does the attacker who knows the least learn the most?
#
# The statements of the paper's sections 5.1 to 5.4 about all attackers and the algorithm, in the paper's order: what each one states, and its check. Nothing is hidden. One statement beyond the paper, Y-B2, stands before Theorem 5.2, which rests on it. The story is told in
# [the notebook of the same name](../../correlated/04-all-adversaries.ipynb).

# %%
from functools import cache
from itertools import combinations, permutations, product

import networkx as nx
import numpy as np
import sympy as sp
from sympy import QQ

from privlib.correlated import gaussian
from privlib.correlated.adversary import adversaries
from privlib.correlated.gaussian import GaussianModel
from privlib.notebook import claim, derivation

# Four people: 1, 2, 3 are linked to each other, and 4 to 3; weights and priors 1.
P = sp.Matrix([[3, -1, -1, 0], [-1, 3, -1, 0], [-1, -1, 4, -1], [0, 0, -1, 2]])


def attackers(n):
    """Every (target, set of known tuples), numbered from 0."""
    return [(target, frozenset(known)) for target, known in adversaries(n)]


def with_prior(graph, prior):
    """Exact precision matrix for unit weights and one prior."""
    laplacian = nx.laplacian_matrix(graph, weight=None).toarray().astype(int)
    return sp.Matrix(laplacian.tolist()) + sp.sympify(prior) * sp.eye(len(graph))


def any_network(n):
    """Precision matrix with a free positive symbol for every weight and prior."""
    Q = sp.diag(*sp.symbols(f"tau1:{n + 1}", positive=True))
    for i, j in combinations(range(n), 2):
        w = sp.Symbol(f"w{i + 1}{j + 1}", positive=True)
        Q[i, j] -= w
        Q[j, i] -= w
        Q[i, i] += w
        Q[j, j] += w
    return Q


def field_of(*matrices):
    """Field of the quotients of polynomials in the symbols of the matrices."""
    symbols = set().union(*(Q.free_symbols for Q in matrices))
    return QQ.frac_field(*sorted(symbols, key=str))


def weak_by_inverse(Q):
    """Coefficients of all weak attackers from the covariance: Cov(x_i, s) / Var(x_i) - 1."""
    covariance = sp.Matrix(Q).inv()
    return [sp.cancel(sum(covariance[i, :]) / covariance[i, i]) - 1 for i in range(Q.rows)]


# %% [markdown]
# ## Y-5.b and Y-5.count (how many attackers)
#
# Y-5.b: *There are $n2^{n-1}$ attackers.* Sum over the number $k$ of known tuples. The second route counts words: each tuple is the target, known or unknown, and exactly one is the target.
#
# Y-5.count: *There are $2^{n-1}$ different attackers to evaluate.* Read for one target, as in Figure 2. The limit: both targets of two tuples.

# %%
n, k = sp.symbols("n k", integer=True, positive=True)
by_known = n * sp.Sum(sp.binomial(n - 1, k), (k, 0, n - 1))
in_all = n * 2 ** (n - 1)
number = derivation(by_known, of=r"\text{attackers}").equal(in_all, "binomial theorem")
number

# %%
counted, words, of_each_target, subsets = [], [], [], []
for size in range(1, 9):
    everybody = attackers(size)
    counted.append(len(set(everybody)))
    words.append(sum(word.count("target") == 1 for word in
                     product(("target", "known", "unknown"), repeat=size)))
    of_each_target.append([sum(t == i for t, _ in everybody) for i in range(size)])
    subsets.append([2 ** (size - 1)] * size)
with claim("Y-5.b") as c:
    c.decisive("proved").derived(number, by_known, in_all, "for every n")
    c.exact(counted, words, "n = 1 to 8: words over target, known, unknown")
with claim("Y-5.count") as c:
    label = "n = 1 to 8: attackers of each single target"
    c.decisive("exhaustive").exact(of_each_target, subsets, label)
    c.limit(subsets[1][0], counted[1], "n = 2, over both targets")

# %% [markdown]
# ## Y-5.c and Y-F2 (the hierarchy)
#
# Y-5.c: *$\mathcal{A}(i, \mathcal{K}')$ is weaker than $\mathcal{A}(i, \mathcal{K})$ if $\mathcal{K}' \subset \mathcal{K}$, and an ancestor if exactly one tuple is missing.* The check: the weaker attackers are those that are reached by steps to ancestors.
#
# Y-F2: *The hierarchy of the attackers of one target, for four tuples.* Our copy of the paper has no pictures; the text determines this one. The arrows that our figure draws (each forgets one tuple) are compared with the smallest set of arrows that has the same order.

# %%
reached, ordered = [], []
for size in (2, 3, 4, 5):
    everybody = attackers(size)
    steps = nx.DiGraph()
    for i, K in everybody:
        for j in K:
            steps.add_edge((i, K), (i, K - {j}))
    reached.append({(a, b) for a in steps for b in nx.descendants(steps, a)})
    pairs = product(everybody, repeat=2)
    ordered.append({(a, b) for a, b in pairs if a[0] == b[0] and b[1] < a[1]})

of_first = [K for i, K in attackers(4) if i == 0]
arrows = {(K, K - {j}) for K in of_first for j in K}
weaker = nx.DiGraph([(K, S) for K, S in product(of_first, repeat=2) if S < K])
with claim("Y-5.c") as c:
    label = "n = 2 to 5: weaker = reached by steps to ancestors"
    c.decisive("exhaustive").exact(reached, ordered, label)
with claim("Y-F2") as c:
    label = "the text fixes it: arrows drawn, and the order's own diagram"
    c.decisive("exhaustive").exact(arrows, set(nx.transitive_reduction(weaker).edges), label)

# %% [markdown]
# ## Y-B2 (the exact gain, beyond the paper)
#
# *$\ell_{\mathcal{A}(i, \mathcal{K}')} = \ell_{\mathcal{A}(i, \mathcal{K})} + b\,(1 + \ell_{\mathcal{A}(j, \mathcal{K}' \cup i)})$ for any signs, where $\mathcal{K}' = \mathcal{K} \setminus \{j\}$ and $b$ is the regression coefficient of $x_j$ on $x_i$ given $x_{\mathcal{K}'}$.* The left side comes from equation (22), typed here from the paper, for a block of $m$ unknown tuples. The right side solves linear systems in the matrix before merging. The second check takes covariances of networks with both signs.

# %%
m, w0, wj = sp.symbols("m w_0 w_j", positive=True)
wi, w0i, w0j, wij = sp.symbols("w_i w_0i w_0j w_ij", real=True)
old_block = m**2 * wj + 2 * m * w0j + w0
new_w0 = (m + 1) ** 2 * (w0 * wj - w0j**2) / old_block
new_w0i = (m + 1) * ((w0j + m * wj) * w0i + (w0 + m * w0j) * wij) / old_block

before = sp.Matrix([[w0, -w0i, -w0j], [-w0i, wi, -wij], [-w0j, -wij, wj]])
unknown = [0, 2]  # the block and the tuple j
follow = -before.extract(unknown, unknown).LUsolve(before.extract(unknown, [1]))
b = follow[1]
on_j = m * w0j / w0  # the attacker of j who knows i: same block, other target
by_parts = m * w0i / w0 + b * (1 + on_j)
after = (m + 1) * new_w0i / new_w0
step = derivation(after, of=r"\ell_{\mathcal A'}").equal(by_parts, r"$\ell + b\,(1 + \ell_j)$")
step


# %%
def slopes(C, response, given):
    """Regression coefficients of a weighted sum of the tuples on the given tuples."""
    return C.extract(given, given).LUsolve(C.extract(given, list(range(C.rows))) * response)


def random_rationals(rng, n, signs):
    """Exact precision matrix with weights k/4 of the given signs and different priors."""
    Q = sp.zeros(n)
    for i, j in combinations(range(n), 2):
        weight = sp.Rational(int(rng.integers(0, 9)), 4) * int(rng.choice(signs))
        Q[i, j] = Q[j, i] = -weight
    for i in range(n):
        prior = sp.Rational(int(rng.integers(1, 9)), 4)
        Q[i, i] = sum(abs(v) for v in Q[i, :]) + prior
    return Q


rng = np.random.default_rng(2015)
everything = sp.ones(4, 1)  # the sum of all tuples
gains, products = [], []
for _ in range(5):
    C = random_rationals(rng, 4, signs=(1, -1)).inv()
    for i, K in attackers(4):
        for j in K:
            rest = sorted(K - {j})
            weaker_factor = slopes(C, everything, [i, *rest])[0]
            stronger = slopes(C, everything, [i, j, *rest])
            only_j = sp.Matrix([int(u == j) for u in range(4)])
            gains.append(weaker_factor - stronger[0])
            products.append(slopes(C, only_j, [i, *rest])[0] * stronger[1])
with claim("Y-B2") as c:
    label = "Proposition 5.1's update, letters of any sign"
    c.decisive("proved").derived(step, after, by_parts, label)
    label = f"{len(gains)} steps of networks with both signs, from covariances, in fractions"
    c.exact(gains, products, label)

# %% [markdown]
# ## Y-Th5.2 (Theorem 5.2, formulas (27) and (28))
#
# *Forgetting a tuple never lowers the leakage coefficient.* By Y-B2 it is enough that $b \ge 0$ and $\ell \ge 0$. The page proves this by averages. Here is another proof, which sympy follows. Given all others, an unknown tuple $x_j$ enters the exponent by $p_j x_j^2 - 2 x_j (w_{ij} x_i + w_{jk} x_k)$. Complete the square, and insert the mean of $x_j$ into an expected sum $a_i x_i + a_j x_j + a_k x_k$, where all coefficients are 1 at the beginning. This eliminates $x_j$. No coefficient falls, and no weight becomes negative:

# %%
xi, xj, xk = sp.symbols("x_i x_j x_k", real=True)
p, ai, aj = sp.symbols("p_j a_i a_j", positive=True)
vij, vik, vjk = sp.symbols("w_ij w_ik w_jk", nonnegative=True)
mean_j = (vij * xi + vjk * xk) / p
in_exponent = p * xj**2 - 2 * xj * (vij * xi + vjk * xk)
left_over = sp.expand(in_exponent - p * (xj - mean_j) ** 2)  # free of x_j
assert not left_over.has(xj)
new_ai = sp.expand(ai * xi + aj * mean_j).coeff(xi)
new_vik = vik - left_over.coeff(xi).coeff(xk) / 2
coefficient_grows = derivation(new_ai, of="a_i'").at_least(ai, "no weight is negative")
weight_stays = (
    derivation(new_vik, of="w_{ik}'")
    .at_least(vik, "no weight is negative")
    .at_least(0, "no weight is negative")
)
coefficient_grows

# %%
weight_stays

# %% [markdown]
# Eliminate all unknown tuples, $j$ last. Then $a_i = 1 + \ell \ge 1$ at the end, and before the last step $b = w_{ij}/p_j \ge 0$. Two further checks: all attackers of four tuples with a letter for every weight and prior, and regressions on simulated databases of four people.

# %%
free = any_network(4)
field = field_of(free)
any_four = GaussianModel(precision=free, width=1)
of_target = {}  # the other targets are the same in other letters
for K in of_first:
    of_target[K] = field.from_sympy(any_four.leakage_coefficient(0, K))
positive = []
for K in of_first:
    for j in K:
        gain = of_target[K - {j}] - of_target[K]
        positive += [number > 0 for number in [*gain.numer.coeffs(), *gain.denom.coeffs()]]

draws = 60_000
covariance = np.linalg.inv(np.array(P, dtype=float))
x = rng.multivariate_normal(np.zeros(4), covariance, size=draws)
total = x.sum(axis=1)
model = GaussianModel(precision=P, width=1)
estimates, errors, expected = [], [], []
for target, known in attackers(4):
    if len(known) == 3:
        continue  # the strong attacker's regression is exact
    seen = x[:, [target, *sorted(known)]]
    gram = np.linalg.inv(seen.T @ seen)
    slope = gram @ (seen.T @ total)
    residual = np.mean((total - seen @ slope) ** 2)
    estimates.append(slope[0] - 1)
    errors.append(np.sqrt(residual * gram[0, 0]))
    expected.append(float(model.leakage_coefficient(target, known)))
with claim("Y-Th5.2") as c:
    c.decisive("proved").derived(step, after, by_parts, "the exact gain, letters of any sign")
    label = "eliminating a tuple lowers no coefficient"
    c.decisive("proved").derived(coefficient_grows, new_ai, ai, label)
    label = "and keeps weights non-negative"
    c.decisive("proved").derived(weight_stays, new_vik, 0, label)
    label = "four tuples, any weights and priors: gains without a minus sign"
    c.holds(all(positive), label, method="symbolic")
    c.sampled(estimates, expected, "28 regressions on simulated databases", stderr=errors)

# %% [markdown]
# ## Y-5.smaller (after Theorem 5.2)
#
# *An attacker's leakage is smaller than that of its ancestor.* Not always: on the path 1–2–3, an attacker of tuple 1 who knows tuple 2 gains nothing by forgetting tuple 3.

# %%
path = GaussianModel(precision=with_prior(nx.path_graph(3), 1), width=1)
strong = path.leakage_coefficient(0, {1, 2})
ancestor = path.leakage_coefficient(0, {1})
with claim(
    "Y-5.smaller", printed="leakage smaller than the ancestor's", corrected="not larger (≤)"
) as c:
    label = f"path 1–2–3: A(1,{{2,3}}) and A(1,{{2}}) both have {ancestor}"
    c.fails(bool(strong < ancestor), label)
    label = "not larger"
    c.decisive("proved").derived(coefficient_grows, new_ai, ai, label)

# %% [markdown]
# ## Y-5.e (enough noise for all)
#
# *$\lambda_0 = \frac M\varepsilon(1 + \max_{\mathcal A} \ell_{\mathcal A})$ suffices, and the maximum is at one of the $n$ weak attackers.* First, for an attacker whose coefficient $\ell$ is by $h \ge 0$ below the largest, the leakage with $\lambda_0$ is at most $\varepsilon$. Second, no coefficient exceeds that of the weak attacker. The last two checks use neither the theorem nor the formula for the leakage: they compare the output densities of all 32 attackers on a grid.

# %%
eps, M = sp.symbols("epsilon M", positive=True)
ell, h = sp.symbols("ell h", nonnegative=True)
scale = M / eps * (1 + ell + h)
names = {eps: r"\varepsilon", ell: r"\ell"}
bounded = (
    derivation(M / scale * (1 + ell), of=r"\frac{M}{\lambda_0}(1 + \ell)", names=names)
    .at_most(eps, r"equality for $h = 0$", by="coefficients")
)
bounded

# %%
lowest = []
for value in of_target.values():
    below = of_target[frozenset()] - value
    lowest += [*below.numer.coeffs(), *below.denom.coeffs()]

epsilon = 0.5
four_scale = float(1 + max(weak_by_inverse(P))) / epsilon
numeric = np.array(P, dtype=float)
outputs = np.linspace(-60, 60, 2401) * four_scale / 4
largest = {}
for target, known in attackers(4):
    hidden = [u for u in range(4) if u != target and u not in known]
    shift, variance = 1.0, 0.0
    if hidden:
        block = np.linalg.inv(numeric[np.ix_(hidden, hidden)])
        shift -= (block @ numeric[hidden, target]).sum()
        variance = block.sum()
    log_ratio = gaussian.log_ratio(outputs, shift, scale=four_scale, sigma=np.sqrt(variance))
    largest[target, known] = np.abs(log_ratio).max()
worst = max(largest, key=largest.get)
with claim("Y-5.e") as c:
    label = "λ0 suffices: leakage at most ε"
    first = eps * (1 + ell) / (1 + ell + h)
    c.decisive("proved").derived(bounded, first, eps, label)
    label = "four tuples, any weights and priors: no ℓ above the weak attacker's"
    c.decisive("exhaustive").at_most(0, int(min(lowest)), label)
    label = "densities of all 32 attackers, four people"
    c.at_most(max(largest.values()), epsilon, label, slack=1e-12)
    c.exact(worst, (2, frozenset()), "largest: the weak attacker of tuple 3")
    label = "approached far out, so that no smaller scale will do"
    c.close(largest[worst], epsilon, label, rtol=1e-9)


# %% [markdown]
# ## Y-5.f and Y-F3 (the sets $\mathcal C$)
#
# Y-5.f: *The correlation matrix of an attacker depends only on $\mathcal C = \{i\} \cup \mathcal K$.* First, two tuples are merged in either order, with a letter for each entry. Second, every merged matrix of two networks is compared with the inverse of the covariance of $x_0$ and $x_{\mathcal C}$, for every target in $\mathcal C$ and every order of merging.
#
# Y-F3: *The hierarchy of the sets $\mathcal C$.* As Y-F2.

# %%
def canonical(Q):
    """Entries as quotients of polynomials without a common factor."""
    letters = field_of(Q)
    return Q.applyfunc(lambda entry: letters.to_sympy(letters.from_sympy(entry)))


def merge_all(Q, unknown, kept):
    """Merge the unknown tuples one by one, in the order given."""
    order = [*unknown, *kept]
    A = sp.Matrix(Q).extract(order, order)
    for size in range(1, len(unknown)):
        A = gaussian.combine(A, 1, m=size)
    return A


def by_covariance(Q, unknown, kept):
    """The same matrix by another route: invert, average, invert."""
    average = sp.zeros(1 + len(kept), Q.rows)
    for u in unknown:
        average[0, u] = sp.Rational(1, len(unknown))
    for row, j in enumerate(kept, 1):
        average[row, j] = 1
    return (average * sp.Matrix(Q).inv() * average.T).inv()


# the block of m, two tuples to merge, one to keep
letter = sp.Matrix(4, 4, lambda i, j: sp.Symbol(f"P_{min(i, j)}{max(i, j)}", real=True))
orders = []
for first_merged in (1, 2):
    A = gaussian.combine(letter, first_merged, m=m)
    orders.append(canonical(gaussian.combine(A, 1, m=m + 1)))

sets = [frozenset(C) for size in range(1, 5) for C in combinations(range(4), size)]
merged, inverted = [], []
for Q in (P, random_rationals(rng, 4, signs=(1,))):
    for C in sets[:-1]:
        members = sorted(C)
        hidden = [u for u in range(4) if u not in C]
        right = by_covariance(Q, hidden, members)
        for kept, order in product(permutations(members), permutations(hidden)):
            back = [0, *(1 + kept.index(j) for j in members)]
            merged.append(merge_all(Q, order, kept).extract(back, back))
            inverted.append(right)

lines = {(C, C - {j}) for C in sets for j in C if len(C) > 1}
inside = nx.DiGraph([(C, D) for C, D in product(sets, repeat=2) if D < C])
with claim("Y-5.f") as c:
    label = "two tuples merged in either order, letters of any sign"
    c.decisive("proved").holds(orders[0] == orders[1], label, method="symbolic")
    label = f"2 networks, every C, target and order: {len(merged)} merges, covariance"
    c.exact(merged, inverted, label)
with claim("Y-F3") as c:
    label = "the text fixes it: lines drawn, and the order's own diagram"
    c.decisive("exhaustive").exact(lines, set(nx.transitive_reduction(inside).edges), label)
    c.exact(len(sets), 2**4 - 1, "15 sets for the 32 attackers of four tuples")


# %% [markdown]
# ## Y-A1, Y-A1.leaf, Y-A1.m-reset and Y-A1.tuple-1 (Algorithm 1)
#
# Y-A1: *Recursive merging of the two halves computes the leakage coefficients of all weak attackers.* Read as the scheme: the two lines that are printed wrongly are the next two rows. Y-A1.leaf: *A leaf returns $w_0/w_{01}$.* Y-A1.m-reset: *The second loop goes on counting $m$ from where the first one stopped.* Y-A1.tuple-1: *The input is $L$ with the number of tuples in its block, and each weak attacker is evaluated.* We read $L$ with a dummy row in front, of any positive pivot.
#
# The algorithm is typed from the paper, with equation (22). It works on any kind of number. The other route is the covariance.

# %%
def printed_update(A, j, m):
    """Equation (22): tuple j joins the block of m tuples in row 0."""
    order = [row for row in range(len(A)) if row != j]
    order.append(j)
    A = A[np.ix_(order, order)]
    a_0, a_0j, a_j = A[0, 0], -A[0, -1], A[-1, -1]
    a_0c, a_jc = -A[0, 1:-1], -A[-1, 1:-1]
    denominator = m * m * a_j + 2 * m * a_0j + a_0
    change = a_0c - m * a_jc
    new = A[:-1, :-1].copy()
    new[0, 0] = (m + 1) ** 2 * (a_0 * a_j - a_0j**2) / denominator
    row = (m + 1) * (a_0c * (a_0j + m * a_j) + a_jc * (a_0 + m * a_0j)) / denominator
    new[0, 1:] = -row
    new[1:, 0] = -row
    new[1:, 1:] = new[1:, 1:] - np.outer(change, change / denominator)
    return new


def leaves(L, m, edits):
    """What all leaves of Algorithm 1 return, in the order of their tuples."""
    n = len(L)
    if n <= 2:
        if "leaf" in edits:
            return [-m * L[0, 1] / L[0, 0]]
        return [-L[0, 0] / L[0, 1]]
    k = n // 2 + 1
    L1, count = L, m
    for i in range(k, 1, -1):
        L1 = printed_update(L1, i - 1, count)
        count += 1
    last_half = leaves(L1, count, edits)
    if "count" in edits:
        count = m
    L2 = L
    for i in range(n, k, -1):
        L2 = printed_update(L2, i - 1, count)
        count += 1
    return leaves(L2, count, edits) + last_half


def numbers(Q):
    """The matrix as an array of exact sympy numbers."""
    return np.array(sp.Matrix(Q).tolist(), dtype=object)


def returned(Q, edits):
    """What Algorithm 1 returns: the largest leaf, with a dummy row in front and m = 1."""
    return max(leaves(numbers(sp.diag(1, Q)), 1, edits))


both = ("leaf", "count")
pivot, tau = sp.symbols("c tau", positive=True)
atlas = [g for g in nx.graph_atlas_g()[3:53] if nx.is_connected(g)]
pairs_of_four = list(combinations(range(4), 2))
four_any_prior = []
for chosen in product((False, True), repeat=6):
    graph = nx.empty_graph(4)
    graph.add_edges_from(pair for pair, keep in zip(pairs_of_four, chosen) if keep)
    if nx.is_connected(graph):
        four_any_prior.append(with_prior(graph, tau))


def in_letters(Q, m):
    """All leaves with both edits and a dummy row of any pivot, and the covariance's values."""
    letters = field_of(Q, sp.Matrix([pivot]))
    front = np.vectorize(letters.from_sympy, otypes=[object])(numbers(sp.diag(pivot, Q)))
    by_halving = [str(value) for value in leaves(front, m, both)]
    by_inverse = [str(letters.from_sympy(value)) for value in weak_by_inverse(Q)]
    return by_halving, by_inverse


# %%
free_networks = [in_letters(any_network(size), 1) for size in (2, 3)]
free_halving, free_inverse = zip(*free_networks)
four_halving, four_inverse = zip(*(in_letters(Q, 1) for Q in four_any_prior))
star = with_prior(nx.star_graph(2), 1)  # centre first
star_largest = max(weak_by_inverse(star))
edge = with_prior(nx.path_graph(2), 1)
four_label = f"{len(four_any_prior)} labelled connected networks of 4, any prior τ and pivot"
free_label = "2 and 3 tuples, any weights, priors and pivot: all leaves, and the covariance"

with claim("Y-A1") as c:
    c.decisive("exhaustive").exact(free_halving, free_inverse, free_label)
    c.decisive("exhaustive").exact(four_halving, four_inverse, four_label)
    with_two = [returned(with_prior(g, sp.Rational(1, 7)), both) for g in atlas]
    right = [max(weak_by_inverse(with_prior(g, sp.Rational(1, 7)))) for g in atlas]
    c.exact(with_two, right, f"{len(atlas)} connected networks of 2 to 5, τ = 1/7: the largest")
with claim(
    "Y-A1.leaf",
    printed=r"line 4: return $w_0/w_{01}$",
    corrected=r"return $m w_{01}/w_0$ (Theorem 5.1)",
    consequence="Only this line: Theorem 5.1 has the right form, "
    "and Theorem 5.3 does not depend on it. Noise calibrated with the "
    "printed line may be too wide or too narrow.",
) as c:
    label = "one edge, prior 1, count repaired: returned, and largest coefficient"
    c.differs(returned(edge, ("count",)), max(weak_by_inverse(edge)), label)
    c.decisive("exhaustive").exact(free_halving, free_inverse, free_label)
    c.decisive("exhaustive").exact(four_halving, four_inverse, four_label)
with claim(
    "Y-A1.m-reset",
    printed=r"the second loop goes on with the $m$ that the first one has counted up",
    corrected=r"restore $m$ before line 14",
    consequence="The second half's blocks are weighted "
    "as if they had more tuples than they have.",
) as c:
    label = "star of 3, centre first, prior 1, leaf repaired: returned, and largest coefficient"
    c.differs(returned(star, ("leaf",)), star_largest, label)
    c.decisive("exhaustive").exact(free_halving, free_inverse, free_label)
    c.decisive("exhaustive").exact(four_halving, four_inverse, four_label)
with claim("Y-A1.tuple-1") as c:
    c.decisive("exhaustive").exact(free_halving, free_inverse, free_label)
    c.decisive("exhaustive").exact(four_halving, four_inverse, four_label)
    uncounted, _ = zip(*(in_letters(any_network(size), 0) for size in (2, 3)))
    c.exact(free_halving, uncounted, "the same with the dummy row not counted, m = 0")
    label = "taken as the bare n × n matrix, star of 3 with its centre first"
    c.limit(max(leaves(numbers(star), 1, both)), star_largest, label)


# %% [markdown]
# ## Y-Th5.3 (Theorem 5.3)
#
# *Algorithm 1 takes $O(n^3)$ time and $O(n^2)$ space.* Numbers that count the arithmetic done with them give the operations of one merge that leaves $c$ tuples beside the block. Equation (22) makes this a quadratic polynomial in $c$, because all its arrays have $c$ or $c^2$ entries. Three sizes determine it, and more sizes confirm it.

# %%
class Counted:
    """A number that counts the operations done with all such numbers."""

    operations = 0

    def __init__(self, value):
        self.value = value

    def _new(self, value):
        Counted.operations += 1
        return Counted(value)

    def __neg__(self):
        return Counted(-self.value)

    def __add__(self, other):
        return self._new(self.value + getattr(other, "value", other))

    def __sub__(self, other):
        return self._new(self.value - getattr(other, "value", other))

    def __mul__(self, other):
        return self._new(self.value * getattr(other, "value", other))

    def __rmul__(self, other):
        return self._new(other * self.value)

    def __truediv__(self, other):
        return self._new(self.value / getattr(other, "value", other))

    def __pow__(self, exponent):
        return self._new(self.value**exponent)


def counting(matrix):
    """The same matrix in counting numbers."""
    return np.array([[Counted(v) for v in row] for row in matrix], dtype=object)


def merge_cost(beside):
    """Operations of one merge that leaves so many tuples beside the block."""
    rows = beside + 2
    matrix = counting(rows * np.eye(rows) - 0.5)
    Counted.operations = 0
    printed_update(matrix, rows - 1, 2)
    return Counted.operations


def whole_run(size):
    """Operations of Algorithm 1 with both edits on a complete graph with priors 1."""
    matrix = np.pad((size + 1.0) * np.eye(size) - 1, (1, 0))
    matrix[0, 0] = 1
    Counted.operations = 0
    values = leaves(counting(matrix), 0, both)
    assert np.allclose([v.value for v in values], (size - 1) / 2)
    return Counted.operations


beside = sp.Symbol("c", nonnegative=True)
cost = sp.interpolate([(s, merge_cost(s)) for s in (0, 1, 2)], beside)
leaf_cost = 2  # m w01 / w0
assert [cost.subs(beside, s) for s in range(12)] == [merge_cost(s) for s in range(12)]
cost

# %% [markdown]
# For $n = 2^k$, the recurrence $T(n) = 2\,T(n/2) + 2 \sum_{c = n/2}^{n-1} \text{cost}(c)$ is solved exactly. For every $n$, $T(n) \le A\,n^3$ follows by induction. Of $n$ tuples, $\lceil n/2 \rceil$ go one way and $\lfloor n/2 \rfloor$ the other, so an even $n = 2k$ and an odd $n = 2k + 1$ need a step each, with $k = 1 + t$ and $t \ge 0$.

# %%
size = sp.Symbol("n", positive=True)
lg = sp.Symbol("log_2(n)", positive=True)
work = sp.expand(2 * sp.summation(cost, (beside, size / 2, size - 1)))
unknowns = sp.symbols("a3 a2 a1 a0 a_log")
shape = (size**3, size**2, size, 1, size * lg)
T = sum(a * s for a, s in zip(unknowns, shape))
halved = T.subs({size: size / 2, lg: lg - 1}, simultaneous=True)
equations = sp.Poly(sp.expand(T - 2 * halved - work), size, lg).coeffs()
equations.append(T.subs({size: 1, lg: 0}) - leaf_cost)
T = sp.expand(T.subs(sp.solve(equations, unknowns, dict=True)[0]))
leading = sp.limit(T.subs(lg, sp.log(size, 2)) / size**3, size, sp.oo)
powers = [2**k for k in range(1, 7)]
solved = [T.subs({size: n, lg: k}) for k, n in enumerate(powers, 1)]

A = 20
t = sp.Symbol("t", nonnegative=True)
k = 1 + t
n_even, n_odd = 2 * k, 2 * k + 1
work_even = 2 * sp.summation(cost, (beside, k, n_even - 1))
work_odd = sp.summation(cost, (beside, k, n_odd - 1))
work_odd += sp.summation(cost, (beside, k + 1, n_odd - 1))
even_first = sp.expand(work_even + 2 * A * k**3)
odd_first = sp.expand(work_odd + A * k**3 + A * (k + 1) ** 3)
even_last, odd_last = sp.expand(A * n_even**3), sp.expand(A * n_odd**3)
even = derivation(even_first).at_most(even_last, "$n = 2k$", by="coefficients")
odd = derivation(odd_first).at_most(odd_last, "$n = 2k + 1$", by="coefficients")
even

# %%
odd

# %% [markdown]
# As to space, a call with $n$ tuples holds its matrix of $n + 1$ rows and, while it merges, the matrices before and after a merge. From the second merge on, these are at most $(n+1)^2 + n^2 + (n-1)^2 = 3n^2 + 2$ numbers. In a nested call with at most $(n+1)/2$ tuples, the outer matrix is held as well. By induction, $3n^2 + 2$ is enough for that, too. Sympy checks this step for $n = 4 + t$ with $t \ge 0$. The function below walks through all calls and adds up what they hold.

# %%
n_large = 4 + t
nested = sp.expand((n_large + 1) ** 2 + 3 * ((n_large + 1) / 2) ** 2 + 2)
enough = sp.expand(3 * n_large**2 + 2)
space = derivation(nested).at_most(enough, "$n = 4 + t$", by="coefficients")


@cache
def most_held(tuples):
    """Most numbers in matrices at the same time, in a call with so many tuples."""
    own = (tuples + 1) ** 2
    if tuples == 1:
        return own
    half = (tuples + 1) // 2
    most = own
    for leaving in (half, tuples - half):
        for done in range(leaving):
            before = (tuples + 1 - done) ** 2 if done > 0 else 0  # else the call's own matrix
            most = max(most, own + before + (tuples - done) ** 2)
        most = max(most, own + most_held(tuples - leaving))
    return most


sizes = range(1, 65)
with claim("Y-Th5.3") as c:
    label = "an even n: work and two calls, at most A n³"
    c.decisive("proved").derived(even, even_first, even_last, label)
    label = "an odd n: the same"
    c.decisive("proved").derived(odd, odd_first, odd_last, label)
    c.exact(leaf_cost <= A, True, "n = 1: a leaf")
    label = "space: a nested call beside the matrix of the outer one, n ≥ 4"
    c.decisive("proved").derived(space, nested, enough, label)
    held = np.array([most_held(s) for s in sizes])
    c.at_most(held, 3 * np.array(sizes) ** 2 + 2, "n = 1 to 64: numbers held, walked through")
    label = "whole runs counted, and T(n) solved from the recurrence, n = 2 to 64"
    c.exact([whole_run(s) for s in powers], solved, label)
    c.exact(leading, sp.Rational(14, 9), "T(n)/n³ tends to 14/9")
