/**
 * Builds the site: a page per Markdown file of the documentation, the files they link to, the report, the search index and the playground.
 * Pages have the paths of their sources, so links stay as written and any static host serves the folder.
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { build as bundle } from 'rolldown'
import { escapeHtml } from '../src/bench/report/escape.ts'
import { playgroundFiles } from '../src/cli/playground/files.ts'
import { shippedMethods } from '../src/watermarks/entry.ts'
import { highlight } from './highlight.ts'
import { type Navigation, page, topBar } from './layout.ts'
import { type Rendered, render } from './markdown.ts'
import { mechanism } from './mechanism.ts'
import { exists, firstPages, isFolder, pagePath, readBytes, readText, relative, root } from './repository.ts'

export interface SiteOptions {
  readonly folder: string
  /** Level of gzip for the playground's large files, 1 to 9. */
  readonly level: number
  /** The folder of stories15m, or the reason why it is missing. */
  readonly stories?: string
  readonly missing?: string
}

/** Files served unchanged; others become a page of code. */
const RAW = /\.(svg|png|json|csv|tex|html|pdf)$/

/** Returns the path on the site of a file that is not a page. */
const sourcePath = (file: string): string => (RAW.test(file) ? file : `source/${file}.html`)

interface Source {
  readonly file: string
  readonly path: string
  readonly rendered: Rendered
}

/** Reads the documentation and all that it links to. */
function readPages(): { readonly pages: readonly Source[]; readonly files: ReadonlySet<string> } {
  const queue = firstPages()
  const known = new Set(queue)
  const files = new Set<string>()
  const pages: Source[] = []
  for (const file of queue) {
    const path = pagePath(file)
    const linkTo = (href: string): string | undefined => {
      if (/^([a-z]+:|#)/i.test(href)) return href
      const [to = '', anchor] = href.split('#')
      const target = posix.join(posix.dirname(file), decodeURI(to))
      const end = anchor === undefined ? '' : `#${anchor}`
      const readme = posix.join(target, 'README.md')
      const markdown = isFolder(target) && exists(readme) ? readme : target
      if (markdown.endsWith('.md')) {
        if (!exists(markdown)) throw new Error(`${file}: ${href} leads nowhere`)
        if (!known.has(markdown)) queue.push(markdown)
        known.add(markdown)
        return relative(path, pagePath(markdown)) + end
      }
      if (!exists(target)) throw new Error(`${file}: ${href} leads nowhere`)
      if (isFolder(target)) return undefined
      files.add(target)
      return relative(path, sourcePath(target)) + end
    }
    pages.push({ file, path, rendered: render(readText(file), linkTo) })
  }
  return { pages, files }
}

const titleOf = ({ file, rendered }: Source): string => rendered.title || posix.basename(file, '.md')

/** Returns the groups of the side bar: those of the guide's index, each in its order, then the other folders. */
function navigationOf(pages: readonly Source[]): Navigation[] {
  const item = (source: Source) => ({ title: titleOf(source), path: source.path })
  const index = pages.find(({ file }) => file === 'docs/README.md')!.rendered.html
  const guide = pages.filter(({ file }) => /^(docs\/)?[^/]+\.md$/.test(file) && file !== 'docs/README.md')
  const groups = [...index.matchAll(/<h2[^>]*>(.*?)(?: <a class="anchor".*?)?<\/h2>(.*?)(?=<h2|$)/gs)].map(
    ([, heading, html]) => {
      const rank = ({ path }: Source): number => html!.indexOf(`href="${relative('docs/index.html', path)}"`)
      const own = guide.filter((page) => rank(page) >= 0).sort((a, b) => rank(a) - rank(b))
      return { title: heading!.replace(/<[^>]*>/g, '').trim(), items: own.map(item) }
    },
  )
  const listed = new Set(groups.flatMap(({ items }) => items.map(({ path }) => path)))
  const others = guide.map(item).filter(({ path }) => !listed.has(path))
  const folder = (name: string) =>
    pages
      .filter(({ file }) => posix.dirname(file) === name)
      .sort((a, b) => Number(b.file.endsWith('README.md')) - Number(a.file.endsWith('README.md')))
  return [
    ...groups,
    ...(others.length > 0 ? [{ title: 'More', items: others }] : []),
    { title: 'Methods', items: folder('docs/watermarks').map(item) },
    { title: 'API', items: folder('docs/api').map(item) },
    { title: 'Reports', items: folder('reports').map(item) },
  ]
}

/** Draws the methods, by the files of their pages. */
function pictures(): Map<string, string> {
  const words = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return new Map(
    shippedMethods().map((method) => [`docs/watermarks/${words(method.name)}.md`, mechanism(method)]),
  )
}

/** Puts the picture of a method below the title of its page. */
const withPicture = (html: string, picture: string | undefined): string =>
  picture === undefined ? html : html.replace(/(?<=<\/h1>\n)/, () => picture)

function searchIndex(pages: readonly Source[]): string {
  const entries = pages.flatMap((source) =>
    source.rendered.parts
      .filter(({ text, heading }) => text.trim() !== '' || heading !== '')
      .map(({ id, heading, text }) => ({
        u: source.path + (id === '' ? '' : `#${id}`),
        t: titleOf(source),
        h: heading,
        // nobody searches for the numbers of a table
        x: text
          .replaceAll(/\s+/g, ' ')
          .trim()
          .slice(0, source.file.startsWith('reports/') ? 400 : 2000),
      })),
  )
  return JSON.stringify(entries)
}

function sourcePage(file: string, navigation: readonly Navigation[]): string {
  const language = posix.extname(file).slice(1)
  const html = `<h1>${escapeHtml(file)}</h1>\n<pre tabindex="0"><code>${highlight(readText(file), language)}</code></pre>\n`
  return page({ path: sourcePath(file), title: file, html, navigation, headings: [] })
}

async function searchScript(): Promise<string> {
  const { output } = await bundle({
    input: join(root, 'site/browser/search.ts'),
    platform: 'browser',
    write: false,
    output: { format: 'es', minify: true },
  })
  return output[0].code
}

type Files = Map<string, string | Uint8Array>

/** Adds a link to the site's first page above the title of the report. */
const withWayBack = (html: string): string =>
  html.replace('<header>', '<header>\n<p class="aside"><a href="../index.html">uwbench</a></p>')

async function siteFiles({ level, stories, missing }: SiteOptions): Promise<Files> {
  const { pages, files } = readPages()
  const navigation = navigationOf(pages)
  const drawn = pictures()
  const out: Files = new Map()
  for (const source of pages) {
    const { html, headings } = source.rendered
    const body = withPicture(html, drawn.get(source.file))
    out.set(
      source.path,
      page({ path: source.path, title: titleOf(source), html: body, navigation, headings }),
    )
  }
  for (const file of files)
    out.set(sourcePath(file), RAW.test(file) ? readBytes(file) : sourcePage(file, navigation))
  // the report's page links to the files beside it
  for (const name of await readdir(join(root, 'reports')))
    if (RAW.test(name)) out.set(`reports/${name}`, readBytes(`reports/${name}`))
  out.set('reports/index.html', withWayBack(readText('reports/index.html')))
  out.set('search.json', searchIndex(pages))
  out.set('search.js', await searchScript())
  const bar = readText('site/browser/top.css')
  const theme = readText('src/cli/playground/browser/theme.css')
  out.set('site.css', theme + readText('site/browser/site.css') + bar)
  const header = `${topBar('playground/index.html', false)}`
  const playground = await playgroundFiles({
    level,
    header,
    ...(stories !== undefined && { stories }),
    ...(missing !== undefined && { missing }),
  })
  for (const [path, bytes] of playground) out.set(`playground/${path}`, bytes)
  out.set('playground/playground.css', playground.get('playground.css') + bar)
  return out
}

/** Builds the site into a folder, which it empties first; returns the sizes of its files by path. */
export async function buildSite(options: SiteOptions): Promise<ReadonlyMap<string, number>> {
  const files = await siteFiles(options)
  await rm(options.folder, { recursive: true, force: true })
  for (const [path, content] of files) {
    const to = join(options.folder, path)
    await mkdir(dirname(to), { recursive: true })
    await writeFile(to, content)
  }
  return new Map([...files].map(([path, content]) => [path, Buffer.byteLength(content)]))
}
