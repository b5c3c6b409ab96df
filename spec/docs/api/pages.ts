/** docs/api/: one page per entry, and an index of all names. */
import { namesIn } from './example.ts'
import { type Entry, type Export, grouped } from './surface.ts'

/** `uwbench/laws` is on laws.md. */
const fileOf = (entry: string): string => `${entry.replace('uwbench/', '')}.md`

const isType = ({ kind }: Export): boolean => kind === 'type'

const headingOf = (one: Export): string => (isType(one) ? `type ${one.name}` : one.name)
const anchorOf = (one: Export): string => headingOf(one).toLowerCase().replaceAll(' ', '-')

/** Packages besides uwbench that examples may use. */
const others: Readonly<Record<string, string>> = { expect: 'vitest', fc: 'fast-check' }

/** Import lines for what an example uses. */
export function importsOf(example: string, entries: readonly Entry[]): string[] {
  const used = namesIn(example)
  const own = entries.flatMap(({ name, exports }) => {
    const names = exports.filter((one) => !isType(one) && used.has(one.name)).map((one) => one.name)
    return names.length > 0 ? [`import { ${names.join(', ')} } from '${name}'`] : []
  })
  const foreign = Object.entries(others).flatMap(([name, from]) => {
    if (!used.has(name)) return []
    return [name === 'fc' ? `import fc from '${from}'` : `import { ${name} } from '${from}'`]
  })
  return [...foreign, ...own]
}

/** The options type of which functions; what is said where the type has no comment of its own. */
function optionsOf(type: Export, entries: readonly Entry[]): string {
  if (!type.name.endsWith('Options')) return ''
  const mentions = new RegExp(`\\b${type.name}\\b`)
  const users = entries
    .flatMap(({ exports }) => exports)
    .filter((one) => one.kind === 'function' && mentions.test(one.signature))
    .map(({ name }) => `\`${name}\``)
  return users.length > 0 ? `Options of ${[...new Set(users)].join(' and ')}.` : ''
}

/** What is said about an export. */
export const commentOf = (one: Export, entries: readonly Entry[]): string =>
  one.comment || (isType(one) ? optionsOf(one, entries) : '')

/** Up to a full stop that a new sentence, or nothing, follows: not that of "et al. (2023)". */
const firstSentence = (text: string): string =>
  (/^[\s\S]*?[.!?](?=\s+[A-Z`]|$)/.exec(text)?.[0] ?? text).replaceAll(/\s+/g, ' ')

const code = (language: string, text: string): string => `\`\`\`${language} show\n${text}\n\`\`\``

function section(one: Export, entries: readonly Entry[]): string {
  const examples = one.examples.map((example) => {
    const imports = importsOf(example, entries)
    return code('js', [...imports, ...(imports.length > 0 ? [''] : []), example].join('\n'))
  })
  const parameters = one.parameters.map(({ name, comment }) => `- \`${name}\`: ${comment}`)
  return [
    `### ${headingOf(one)}`,
    commentOf(one, entries),
    parameters.join('\n'),
    ...examples,
    code('ts', one.signature),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** Rooms of src/ as a person would call what they export. */
const titles: Readonly<Record<string, string>> = {
  watermark: 'Declaring a watermark',
  watermarks: 'Methods',
  keys: 'Context rules',
  detect: 'Detection',
  embed: 'Embedding',
  kernels: 'Kernels',
  bench: 'Experiments',
  report: 'Reports',
}

/** Exports by the room of src/ they live in. */
function groups(list: readonly Export[]): [title: string, exports: Export[]][] {
  const byRoom = grouped(list, ({ place }) => place.split(/[/.:]/)[1]!)
  const order = Object.keys(titles)
  return [...byRoom]
    .sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
    .map(([room, exports]) => [titles[room] ?? room, exports])
}

/** Names with their first sentence, values first; types in one line. */
function contents(entry: Entry, entries: readonly Entry[], page: string): string {
  const link = (one: Export): string => `[${one.name}](${page}#${anchorOf(one)})`
  const row = (one: Export): string =>
    `| ${link(one)} | ${firstSentence(commentOf(one, entries)).replaceAll('|', '\\|')} |`
  const table = (list: readonly Export[], title: string): string =>
    [`| ${title} | |`, '| --- | --- |', ...list.map(row)].join('\n')
  const values = entry.exports.filter((one) => !isType(one))
  const types = entry.exports.filter(isType)
  const parts = groups(values)
  const tables = parts.map(([title, list]) => table(list, parts.length > 1 ? title : 'name'))
  return [...tables, ...(types.length > 0 ? [`Types: ${types.map(link).join(', ')}.`] : [])].join('\n\n')
}

function entryPage(entry: Entry, entries: readonly Entry[]): string {
  const values = entry.exports.filter((one) => !isType(one))
  const types = entry.exports.filter(isType)
  return `${[
    `# ${entry.name}`,
    entry.comment,
    '[All entries](README.md). Written by `npm run docs` from the source; every example is run by a test.',
    contents(entry, entries, ''),
    ...groups(values).flatMap(([title, list]) => [
      `## ${groups(values).length > 1 ? title : 'Functions and values'}`,
      ...list.map((one) => section(one, entries)),
    ]),
    ...(types.length > 0 ? ['## Types', ...types.map((one) => section(one, entries))] : []),
  ].join('\n\n')}\n`
}

const indexPage = (entries: readonly Entry[]): string =>
  `${[
    '# API',
    'One page per entry of the package. Written by `npm run docs` from the source.',
    entries.map(({ name }) => `[${name}](#${name.replace('/', '')})`).join(' · '),
    ...entries.flatMap((entry) => [
      `## ${entry.name}`,
      entry.comment,
      contents(entry, entries, fileOf(entry.name)),
    ]),
  ].join('\n\n')}\n`

/** Every page by its file name in docs/api/. */
export const apiPages = (entries: readonly Entry[]): Map<string, string> =>
  new Map([
    ['README.md', indexPage(entries)],
    ...entries.map((entry): [string, string] => [fileOf(entry.name), entryPage(entry, entries)]),
  ])
