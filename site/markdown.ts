/** Renders Markdown as the body of a page. */
import { Marked, type Tokens } from 'marked'
import { escapeHtml } from '../src/bench/report/escape.ts'
import { highlight } from './highlight.ts'

/** A part of a page that a search finds. */
interface Part {
  readonly id: string
  readonly heading: string
  text: string
}

export interface Rendered {
  readonly title: string
  readonly html: string
  /** The part before the first heading below the title comes first, with an empty id. */
  readonly parts: readonly Part[]
  readonly headings: readonly { readonly id: string; readonly text: string; readonly depth: number }[]
}

/** Returns the anchor that code hosts give a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

const plain = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** Renders a page. @param linkTo returns the address of a link or a picture; undefined if the site does not have it */
export function render(markdown: string, linkTo: (href: string) => string | undefined): Rendered {
  const parts: Part[] = [{ id: '', heading: '', text: '' }]
  const headings: { id: string; text: string; depth: number }[] = []
  const used = new Map<string, number>()
  const say = (text: string): void => {
    parts.at(-1)!.text += `${text} `
  }
  const marked = new Marked({ gfm: true })
  marked.use({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const html = this.parser.parseInline(tokens)
        const text = plain(html)
        const anchor = anchorOf(text)
        const times = used.get(anchor) ?? 0
        used.set(anchor, times + 1)
        const id = times === 0 ? anchor : `${anchor}-${times}`
        headings.push({ id, text, depth })
        if (depth > 1) parts.push({ id, heading: text, text: '' })
        const link =
          depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="link to ${escapeHtml(text)}">#</a>`
        return `<h${depth} id="${id}">${html}${link}</h${depth}>\n`
      },
      code({ text, lang }: Tokens.Code) {
        say(text)
        return `<pre tabindex="0"><code>${highlight(text, (lang ?? '').split(' ')[0]!)}</code></pre>\n`
      },
      paragraph({ tokens }: Tokens.Paragraph) {
        const html = this.parser.parseInline(tokens)
        say(plain(html))
        return `<p>${html}</p>\n`
      },
      table(token: Tokens.Table) {
        const row = (cells: Tokens.TableCell[], tag: 'th' | 'td'): string => {
          const inner = cells.map(({ tokens, align }) => {
            const html = this.parser.parseInline(tokens)
            say(plain(html))
            const scope = tag === 'th' && html !== '' ? ' scope="col"' : ''
            // an empty header cell is not a header
            const name = html === '' ? 'td' : tag
            return `<${name}${scope}${align ? ` class="${align}"` : ''}>${html}</${name}>`
          })
          return `<tr>${inner.join('')}</tr>`
        }
        const body = token.rows.map((cells) => row(cells, 'td')).join('\n')
        return `<div class="scroll" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`
      },
      link({ href, tokens, title }: Tokens.Link) {
        const html = this.parser.parseInline(tokens)
        const to = linkTo(href)
        const hint = title ? ` title="${escapeHtml(title)}"` : ''
        return to === undefined ? html : `<a href="${escapeHtml(to)}"${hint}>${html}</a>`
      },
      image({ href, text }: Tokens.Image) {
        return `<img src="${escapeHtml(linkTo(href) ?? href)}" alt="${escapeHtml(text)}" loading="lazy">`
      },
      listitem({ tokens }: Tokens.ListItem) {
        const html = this.parser.parse(tokens)
        say(plain(html))
        return `<li>${html}</li>\n`
      },
      html({ text }: Tokens.HTML | Tokens.Tag) {
        return text.replaceAll(/\b(src|srcset|href)="([^"]+)"/g, (whole, name, href) => {
          const to = linkTo(href)
          return to === undefined ? whole : `${name}="${escapeHtml(to)}"`
        })
      },
    },
  })
  const html = (marked.parse(markdown, { async: false }) as string).replaceAll(/<!--[\s\S]*?-->/g, '')
  const title = headings.find(({ depth }) => depth === 1)?.text ?? ''
  return { title, html, parts, headings }
}
