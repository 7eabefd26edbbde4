"""How a report looks: one style sheet, light and dark, wide and narrow and on paper; nothing is loaded."""

COLOURS = """
:root {
  color-scheme: light dark;
  --paper: #fbfaf6; --card: #ffffff; --ink: #1f1e1b; --soft: #5f5b53; --rule: #e2ddd1; --tint: #f2eee4; --link: #17563f;
  --s0: #1f5c4a; --s1: #a4541a; --s2: #3a5fa8; --s3: #9a3c6e; --s4: #6b4a9c; --s5: #4f6b1f;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
  --serif: "Iowan Old Style", "Palatino Linotype", Palatino, "URW Palladio L", Georgia, "DejaVu Serif", serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16191a; --card: #1c2021; --ink: #e9e6df; --soft: #a8a499; --rule: #33393a; --tint: #22282a;
    --link: #86cdb2;
    --s0: #79c8ab; --s1: #e3a56e; --s2: #8fb0ee; --s3: #e491bd; --s4: #bba0ea; --s5: #b3cc7d;
  }
}
"""
# The lines and marks of plots; with the colours it is all that a picture by itself needs.
PLOTS = """
.grid { stroke: var(--rule); stroke-width: 1 } .tick, .axis { fill: var(--soft); font: 12px var(--sans) }
.label { fill: var(--ink); font: 12.5px var(--sans); paint-order: stroke; stroke: var(--card); stroke-width: 4px }
.compare { stroke: var(--soft); stroke-width: 1.2; stroke-dasharray: 4 4 }
.s0 { --s: var(--s0) } .s1 { --s: var(--s1) } .s2 { --s: var(--s2) }
.s3 { --s: var(--s3) } .s4 { --s: var(--s4) } .s5 { --s: var(--s5) } .plain { --s: var(--soft) }
.line { fill: none; stroke: var(--s); stroke-width: 1.8; stroke-linejoin: round } .plain .line { stroke-dasharray: 5 4 }
.mark { fill: var(--s); stroke: var(--card); stroke-width: 1 }
.range { stroke: var(--s); stroke-width: 4; opacity: .32; stroke-linecap: round }
"""
PAGE = """
* { box-sizing: border-box }
html { font: 100%/1.55 var(--sans); background: var(--paper); color: var(--ink); -webkit-text-size-adjust: 100% }
body { margin: 0; overflow-wrap: break-word }
main, footer { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem }
h1, h2, h3 { font-family: var(--serif); font-weight: 600; line-height: 1.2; text-wrap: balance }
h1 { font-size: clamp(1.6rem, 1.2rem + 2vw, 2.3rem); margin: 0 0 .3rem; letter-spacing: -.01em }
h2 { font-size: 1.35rem; margin: 2.8rem 0 .5rem } h3 { font-size: 1.08rem; margin: 1.8rem 0 .3rem }
p, ul, dl { margin: .5rem 0; max-width: 46rem }
a { color: var(--link); text-underline-offset: .18em }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px }
.lead { font-size: 1.06rem; color: var(--soft); margin-top: 0 } .quiet { color: var(--soft); font-size: .92rem }
.finding { font: 1.15rem/1.4 var(--serif); border-left: 3px solid var(--s0); padding: .1rem 0 .1rem .9rem }
.contents { list-style: none; padding: .6rem 0; margin: 1rem 0 0; max-width: none; display: flex; flex-wrap: wrap }
.contents { gap: .2rem 1.3rem; border-top: 1px solid var(--rule); border-bottom: 1px solid var(--rule) }
figure { margin: 1rem 0 .4rem }
figcaption { color: var(--soft); font-size: .92rem; margin-bottom: .4rem; max-width: 46rem }
.plot { width: 100%; height: auto; display: block; background: var(--card); border: 1px solid var(--rule) }
.plot { border-radius: 8px } .plot.narrow { display: none }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; padding: 0; font-size: .92rem }
.legend { max-width: none }
.key { width: .85rem; height: .85rem; vertical-align: -.1rem; margin-right: .4rem }
.scroll { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; min-width: 50% }
caption { text-align: left; color: var(--soft); padding: .2rem 0 .5rem }
caption span { display: block; max-width: min(46rem, calc(100vw - 2rem)) }
th, td { text-align: right; padding: .34rem 0 .34rem 1.1rem; border-bottom: 1px solid var(--rule); white-space: nowrap }
th:first-child, td:first-child { text-align: left; padding-left: 0 } tbody th { font-weight: 500 }
thead th, thead td { font-size: .84rem; color: var(--soft); font-weight: 600; border-bottom-color: var(--soft) }
td small { color: var(--soft); font-size: .86em }
details { margin: .5rem 0 1.2rem } summary { cursor: pointer; color: var(--link); padding: .25rem 0 }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .88em }
pre { background: var(--tint); padding: .8rem 1rem; border-radius: 6px; white-space: pre-wrap; overflow-x: auto }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1.2rem } dt { color: var(--soft) }
dd { margin: 0; overflow-wrap: anywhere }
footer { border-top: 1px solid var(--rule); color: var(--soft); font-size: .88rem }
@media (max-width: 46rem) {
  .plot.wide { display: none } .plot.narrow { display: block }
  dl { grid-template-columns: 1fr } dd { margin-bottom: .4rem }
}
@media print { main, footer { max-width: none; padding: 0 } details::details-content { content-visibility: visible } }
"""
STYLE = COLOURS + PLOTS + PAGE
PICTURE = f"{COLOURS}{PLOTS}.plot {{ background: var(--card) }}"
