/**
 * The words that this project's English avoids, in comments and texts of src/, in docs/ and in reports/. Part of `npm run lint`.
 *
 *   node scripts/english.mjs              fails where a folder has more findings than scripts/english.json allows
 *   node scripts/english.mjs --list src   prints every finding below a path as file:line
 *   node scripts/english.mjs --write      lowers the numbers in scripts/english.json to the present ones; none rises
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const allowedFile = `${root}scripts/english.json`

/** A pattern, and what to write instead. */
const words = [
  [/\bwhoever\b/i, 'you, or a person who'],
  [/(?:^|[.:;] )Who\b(?![^.?]*\?)/, 'a subject and a verb'],
  [/\b(?:is|are) none\b/i, 'say what there is'],
  [/\bthat of\b/i, 'name it again'],
  [/\bthe one\b[^.]{1,60}\bthe other\b/i, 'name both'],
  [/\bof such\b/i, 'of these'],
  [/\bso many\b/i, 'name the parameter'],
  [/\bas far as\b/i, 'where, if'],
  [/\bin silence\b/i, 'without an error'],
  [/\bto be had\b|\bcan(?:not)? be had\b/i, 'available'],
  [/\busual\b/i, 'default'],
  [/\bwhole numbers?\b/i, 'integer'],
  [/\bprose by people\b/i, 'human-written text'],
  [/\bp-values? that holds?\b/i, 'valid p-value'],
  [/\bheaps\b/i, 'clusters'],
  [/\btried again\b/i, 'retried'],
]

/** Openings of doc comments: a comment starts with a verb or with a noun that names the thing. */
const opening = /^\/\*\*[\s*]*(?:What|Who|Whoever|How|Whether|Where|Which)\b/

/** Passages in which a word of the list is right. */
const exceptions = [
  /(['"`])usual\1/g, // the name of an effort
  /\busual effort\b/g,
  /`[^`\n]*`/g, // code
]

/** Written by code from comments in src/, or the words of somebody else. */
const leftOut = [/^docs\/api\//, /^reports\/(smoke|beyond)\//, /^src\/core\/kernels\/assembly\//]

/** Comments, and strings that hold a space. */
const prose = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g

/** The passages of a file that people read, each with its place. */
const passagesOf = (file, text) =>
  file.endsWith('.md')
    ? [{ at: 0, passage: text.replaceAll(/^```[\s\S]*?^```$/gm, (block) => block.replaceAll(/[^\n]/g, ' ')) }]
    : [...text.matchAll(prose)]
        .filter(([passage]) => passage.startsWith('/') || passage.includes(' '))
        .map(({ 0: passage, index }) => ({ at: index, passage }))

/** Blanks out a match, so that places stay what they are. */
const blank = (match) => match.replaceAll(/[^\n]/g, ' ')

/** The passage without what is right, and without the stars at the left of a comment. */
function cleaned(passage, isCode) {
  // a template is a passage as a whole: only what stands in quotes of another kind is code inside it
  const [first, inner, last] = isCode ? [passage[0], passage.slice(1, -1), passage.at(-1)] : ['', passage, '']
  const right = exceptions.reduce((text, pattern) => text.replaceAll(pattern, blank), inner)
  return (first + right + last).replaceAll(/^\s*\*/gm, blank)
}

/** Returns what is found in the text of a file: its line, the words, and what to write instead. */
export function findingsIn(file, text) {
  const lineAt = (at) => text.slice(0, at).split('\n').length
  return passagesOf(file, text).flatMap(({ at, passage }) => {
    const found = []
    if (opening.test(passage))
      found.push({
        line: lineAt(at),
        what: `opens with ${opening
          .exec(passage)[0]
          .split(/[\s*]+/)
          .at(-1)}`,
        instead: 'a verb or a noun',
      })
    const isQuoted = file.endsWith('.ts') && /^['"`]/.test(passage)
    for (const [i, line] of cleaned(passage, isQuoted).split('\n').entries())
      for (const [pattern, instead] of words) {
        const match = pattern.exec(line.trim())
        if (match !== null) found.push({ line: lineAt(at) + i, what: match[0].trim(), instead })
      }
    return found.map((one) => ({ file, ...one }))
  })
}

/** `src/core/keys`, `docs`, `reports`; files at the top are a folder each. */
const folderOf = (file) => {
  const folders = file.split('/').slice(0, -1)
  return folders.length === 0 ? file : folders.slice(0, folders[0] === 'src' ? 3 : 2).join('/')
}

const files = () =>
  [
    ...['src', 'docs', 'reports'].flatMap((folder) =>
      readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    ),
    ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ]
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.(?:ts|md)$/.test(file) && !leftOut.some((pattern) => pattern.test(file)))
    .sort()

function main() {
  const findings = files().flatMap((file) => findingsIn(file, readFileSync(root + file, 'utf8')))
  const counts = {}
  for (const { file } of findings) counts[folderOf(file)] = (counts[folderOf(file)] ?? 0) + 1
  const print = ({ file, line, what, instead }) => console.log(`${file}:${line}  ${what}  (${instead})`)
  const allowed = JSON.parse(readFileSync(allowedFile, 'utf8'))

  if (process.argv.includes('--write')) {
    const lower = Object.entries(allowed)
      .map(([folder, most]) => [folder, Math.min(most, counts[folder] ?? 0)])
      .filter(([, most]) => most > 0)
    writeFileSync(allowedFile, `${JSON.stringify(Object.fromEntries(lower), null, 2)}\n`)
  } else if (process.argv.includes('--list')) {
    const below = process.argv[process.argv.indexOf('--list') + 1] ?? ''
    findings.filter(({ file }) => file.startsWith(below)).forEach(print)
  } else {
    const over = Object.keys(counts).filter((folder) => counts[folder] > (allowed[folder] ?? 0))
    for (const folder of over) {
      findings.filter(({ file }) => folderOf(file) === folder).forEach(print)
      console.log(`${folder}: ${counts[folder]} findings, at most ${allowed[folder] ?? 0} allowed\n`)
    }
    process.exitCode = over.length > 0 ? 1 : 0
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
