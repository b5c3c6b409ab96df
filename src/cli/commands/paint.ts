/** A text with its tokens coloured by their scores, for a terminal and as a page. */
import { escapeHtml, markup, policyOf } from '../../bench/report/index.ts'
import { type Piece, strength } from '../../core/detect/index.ts'
import { safeText } from './output.ts'

/** Colours tokens for a terminal: green for the watermark, red against it, grey where not scored. */
export function paintTerminal(list: readonly Piece[], centre?: number): string {
  const share = strength(list, centre)
  return list
    .map(({ text, score }) => {
      const code = Number.isNaN(score) ? '90' : share(score) >= 0.5 ? '32' : '31'
      return `\u001b[${code}m${safeText(text)}\u001b[0m`
    })
    .join('')
}

/** Legend of the colours on a terminal. */
export const legend = [
  '\u001b[32mgreen\u001b[0m: speaks for the watermark',
  '\u001b[31mred\u001b[0m: against it',
  '\u001b[90mgrey\u001b[0m: not scored',
].join('   ')

/** Shades of each colour. The style has a class per shade, since the policy of the page forbids inline styles. */
const SHADES = 10

const shade = (strength: number): string =>
  strength >= 0.5
    ? `g${Math.round((2 * strength - 1) * SHADES)}`
    : `r${Math.round((1 - 2 * strength) * SHADES)}`

const shades = Array.from({ length: SHADES + 1 }, (_, i) => {
  const part = i / SHADES
  return `.g${i} { background: rgba(22,128,60,${(part * 0.55 + 0.1).toFixed(3)}) } .r${i} { background: rgba(190,40,40,${(part * 0.45 + 0.1).toFixed(3)}) }`
})

const style = `
:root { color-scheme: light dark }
body { font: 16px/1.6 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem }
th { text-align: left; font-weight: 500; padding-right: 2rem; opacity: .7 }
td { overflow-wrap: anywhere }
.text { white-space: pre-wrap; overflow-wrap: anywhere; font-family: ui-serif, Georgia, serif; font-size: 1.1rem; line-height: 1.9; margin-top: 2rem }
.text span { border-radius: 3px } .none { opacity: .5 }
${shades.join('\n')}
`

/** Returns a standalone page: the verdict, and the text with each token's score as its colour and on hover. */
export function paintPage(
  title: string,
  facts: readonly (readonly [string, string])[],
  list: readonly Piece[],
  centre?: number,
): string {
  const share = strength(list, centre)
  const spans = list.map(({ text, score }) => {
    const shown = escapeHtml(safeText(text))
    if (Number.isNaN(score)) return `<span class="none" title="not scored">${shown}</span>`
    return `<span class="${shade(share(score))}" title="score ${+score.toPrecision(4)}">${shown}</span>`
  })
  const rows = facts
    .map(([name, value]) => `<tr><th>${markup(name)}</th><td>${markup(value)}</td></tr>`)
    .join('\n')
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${markup(policyOf(style))}">
<meta name="viewport" content="width=device-width">
<title>${markup(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
<h1>${markup(title)}</h1>
<table>${rows}</table>
<p class="text">${spans.join('')}</p>
<p><small>Green tokens speak for the watermark, red ones against it, pale ones were not scored.</small></p>
</html>
`
}
