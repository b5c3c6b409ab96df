/** The frame of every page of the site. */
import { escapeHtml } from '../src/bench/report/escape.ts'
import { relative } from './repository.ts'

interface NavigationItem {
  readonly title: string
  /** Below the site's root. */
  readonly path: string
}

export interface Navigation {
  readonly title: string
  readonly items: readonly NavigationItem[]
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'"

const TOP: readonly NavigationItem[] = [
  { title: 'Guide', path: 'docs/index.html' },
  { title: 'Methods', path: 'docs/watermarks/index.html' },
  { title: 'API', path: 'docs/api/index.html' },
  { title: 'Report', path: 'reports/index.html' },
  { title: 'Playground', path: 'playground/index.html' },
]

/** Returns the part of the site that a page belongs to: the longest path that begins like the page's. */
function current(path: string): string | undefined {
  const folder = (item: string): string => item.replace(/[^/]*$/, '')
  return TOP.map((item) => item.path)
    .filter((item) => path.startsWith(folder(item)))
    .sort((a, b) => b.length - a.length)[0]
}

const link = (kind: string, from: string, { title, path }: NavigationItem, isHere: boolean): string =>
  `<a class="${kind}-link" href="${relative(from, path)}"${isHere ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a>`

/** The bar on top of a page. */
export function topBar(path: string, search: boolean): string {
  const here = current(path)
  const links = TOP.map((item) => `<li>${link('top', path, item, item.path === here)}</li>`).join('')
  const field = search
    ? '<div class="search"><input id="search" type="search" placeholder="Search" aria-label="Search the documentation" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list" autocomplete="off"><ul id="found" role="listbox" aria-label="Results" hidden></ul></div>'
    : ''
  return `<header class="top"><div class="top-inner"><a class="brand" href="${relative(path, 'index.html')}">uwbench</a><nav aria-label="Site"><ul class="top-links">${links}</ul></nav>${field}</div></header>`
}

function sideBar(path: string, navigation: readonly Navigation[]): string {
  const groups = navigation.map(({ title, items }) => {
    const open = items.some((item) => item.path === path) ? ' open' : ''
    const list = items.map((item) => `<li>${link('side', path, item, item.path === path)}</li>`).join('')
    return `<details${open}><summary>${title}</summary><ul class="side-links">${list}</ul></details>`
  })
  return `<nav class="side" aria-label="Pages">${groups.join('')}</nav>`
}

interface PageParts {
  readonly path: string
  readonly title: string
  readonly html: string
  readonly navigation: readonly Navigation[]
  readonly headings: readonly { readonly id: string; readonly text: string; readonly depth: number }[]
}

function contents(headings: PageParts['headings']): string {
  const shown = headings.filter(({ depth }) => depth === 2)
  if (shown.length < 3) return ''
  const list = shown
    .map(({ id, text }) => `<li><a class="side-link" href="#${id}">${escapeHtml(text)}</a></li>`)
    .join('')
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul class="side-links">${list}</ul></nav>`
}

export function page({ path, title, html, navigation, headings }: PageParts): string {
  const to = (file: string): string => relative(path, file)
  const name =
    path === 'index.html' ? 'uwbench: test and benchmark unbiased watermarks' : `${title} · uwbench`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escapeHtml(name)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to('site.css')}">
<script type="module" src="${to('search.js')}" data-root="${to('index.html').replace(/index\.html$/, '') || './'}" id="search-script"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
${topBar(path, true)}
<div class="columns">
<main id="main">
${html}</main>
${sideBar(path, navigation)}
${contents(headings)}
</div>
</body>
</html>
`
}
