"""How the crosstable page looks: on a screen, light or dark; on a telephone, a card for each row; on paper.

Every text keeps a contrast of at least 4.5 to 1 with what is behind it, on the striped rows too.
"""

STYLE = """
:root { color-scheme: light dark; --ink: #1b1d21; --faint: #565b65; --line: #d4d7dc; --stripe: #f5f6f8; --paper: #fff }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e9eaee; --faint: #a6abb6; --line: #3c4048; --stripe: #1e2126; --paper: #15171b }
}
* { box-sizing: border-box }
body { margin: 0; font: 1rem/1.4 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
main { width: fit-content; max-width: 100%; min-width: min(44rem, 100%); margin: 0 auto; padding: 1.5rem 1rem 3rem }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; overflow-wrap: anywhere }
h2 { font-size: 1.25rem; margin: 2rem 0 .3rem; overflow-wrap: anywhere }
h3 { font-size: 1rem; margin: 1rem 0 .2rem }
p { margin: 0 0 .5rem }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
caption { text-align: left; color: var(--faint); padding-bottom: .6rem }
.scroll { overflow-x: auto; max-width: 100% }
.wide .scroll { font-size: .9rem }
th, td { padding: .35rem .45rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
thead th { border-bottom: 2px solid var(--faint); font-size: .875em; vertical-align: bottom }
tr { background: var(--paper) }
tbody tr:nth-child(even) { background: var(--stripe) }
.number, .player { position: sticky; left: 0; background: inherit }
.number { min-width: 2.6rem }
.player { left: 2.6rem; font-weight: 600; min-width: 10.5rem; max-width: 22rem; overflow-wrap: anywhere }
small { display: block; font-size: .8em; font-weight: 400; color: var(--faint) }
.rank, .number, .points, .tie-break { text-align: right }
.rank { min-width: 2.2rem; color: var(--faint) }
.paper { display: none }
.rating, .round, .player small { white-space: nowrap }
.before { display: inline-block; min-width: 4.1em; text-align: right }
.rating small { padding-left: 5.6em }
.notes { font-size: .9rem; max-width: 60rem }
.notes ul { margin: 0; padding-left: 1.2rem }
.notes li { overflow-wrap: anywhere }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
@media screen and (max-width: 48rem) {
  main { width: auto; padding: 1rem .75rem 2rem }
  table, caption, tbody { display: block }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  tbody tr { display: flex; flex-wrap: wrap; align-items: baseline; padding: .5rem .4rem;
    border-bottom: 1px solid var(--line) }
  tbody td, tbody th { border: 0; padding: 0 }
  td.number, th.player { position: static }
  td.rank { flex: 0 0 2.2rem; min-width: 0; text-align: left; font-weight: 700; color: var(--ink) }
  td.number { flex: 0 0 auto; min-width: 0; padding-right: .5rem; color: var(--faint) }
  td.number::before { content: "No.\\00a0" }
  th.player { flex: 1 1 0; min-width: 0; max-width: none }
  td.points { flex: 0 0 3rem; font-weight: 700 }
  td.rating { flex: 0 0 100%; order: 1; padding-left: 2.2rem }
  tbody tr::after { content: ""; flex: 0 0 100% }
  td.tie-break { order: 1; padding-right: .5rem; font-size: .85rem }
  td.points + td.tie-break { padding-left: 2.2rem }
  td.tie-break::before { content: attr(data-method) "\\00a0"; color: var(--faint) }
  td.rating::before { content: attr(data-system) " "; display: inline-block; min-width: 4.2em; color: var(--faint) }
  .before { min-width: 0 }
  .rating small { display: inline; padding: 0 }
  td.rating, .player small { white-space: normal }
  td.round { order: 2; margin: .3rem .25rem 0 0; padding: 0 .3rem; font-size: .9rem; border: 1px solid var(--line);
    border-radius: .3rem }
  td.round::before { content: attr(data-round) "\\00a0"; font-size: .7rem; color: var(--faint) }
  td.blank { display: none }
}
@page { margin: 12mm 12mm 15mm;
  @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 8pt system-ui, sans-serif } }
@page wide { size: landscape }
@media print {
  :root { color-scheme: light; --ink: #000; --faint: #444; --line: #999; --stripe: #fff; --paper: #fff }
  body { font-size: 9pt }
  main { width: 100%; padding: 0 }
  header, .screen, .sheet h2, caption { display: none }
  .sheet { break-after: page }
  .sheet.wide { page: wide }
  .sheet:has(+ .notes) { break-after: auto }
  p.paper { display: block; margin-top: 2mm; font-size: 7.5pt }
  tr.paper { display: table-row }
  .paper td { padding: 0 0 2mm; border: 0; white-space: normal }
  .paper b { display: block; font-size: 15pt; line-height: 1.2 }
  .paper strong { display: block; margin-top: 1.5mm; font-size: 12pt }
  .scroll { overflow: visible }
  .number, .player { position: static; min-width: 0 }
  .player { min-width: 34mm }
  .wide .scroll { font-size: 8.5pt }
  .notes { font-size: 8pt; max-width: none } h3 { font-size: 8.5pt; margin: 2mm 0 0 }
  th, td { padding: .8mm 1.4mm }
  thead { display: table-header-group }
  tr, li, p { break-inside: avoid }
  h3 { break-after: avoid }
}
"""
