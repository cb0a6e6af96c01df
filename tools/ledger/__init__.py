"""The ledger: from what papers claim and what notebooks showed to a verdict on each claim.

Each module is one stage, and uses those above it:

===================  ===============================================================================
module               what it returns
===================  ===============================================================================
`layout`             where notebooks stand, and whether one is a page, a note or evidence
`claims`             what the papers state, read from ``book/claims`` and validated
`dataflow`           which statements of a notebook the checks of a claim rest on
`evidence`           what an executed notebook showed: taken from its cells, stored and read again
`freshness`          which evidence is older than the code, and why
`outside`            comparisons with numbers that others printed or compute
`verdicts`           claims and evidence together: one row for each claim
`exports`            the rows as JSON and CSV
`corrected_papers`   the rows in the order of each paper, beside what stands instead
===================  ===============================================================================

`differences` marks where a printed and a corrected form differ, `japanese` has the words of the
pages in two languages, `reading_time` says how long a notebook takes to read.
"""
