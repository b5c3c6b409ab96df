/** docs/api.md: every export of every entry with its declaration and doc comment, read from the source by the compiler. */
import { join, relative } from 'node:path'
import ts from 'typescript'
import { root } from '../commands/program.ts'

const entries: readonly (readonly [entry: string, file: string, needs: string])[] = [
  ['uwbench', 'src/index.ts', 'Watermarks, embedding, detection. Runs in Node and in browsers.'],
  ['uwbench/laws', 'src/laws/index.ts', 'The laws as functions. Needs fast-check.'],
  ['uwbench/vitest', 'src/vitest/index.ts', 'The laws as tests. Needs vitest and fast-check.'],
  ['uwbench/reference', 'src/reference/index.ts', 'Codes exactly as published implementations draw them.'],
  [
    'uwbench/models',
    'src/models/index.ts',
    'Models and decoding. Needs @huggingface/transformers once a model is loaded.',
  ],
  [
    'uwbench/bench',
    'src/bench/index.ts',
    'Experiments, the runner, reports. Charts need vega and vega-lite.',
  ],
  ['uwbench/theory', 'src/theory/index.ts', "The paper's statements as functions."],
  ['uwbench/paper', 'src/paper/index.ts', 'The published tables as data, and their audit.'],
  ['uwbench/metrics', 'src/metrics/index.ts', 'Metrics of generated text.'],
  ['uwbench/attacks', 'src/attacks/index.ts', 'Attacks on tokens and on text.'],
  ['uwbench/stats', 'src/stats/index.ts', 'Exact tails, tests and intervals.'],
]

/** The declaration without its body, and without `export`. */
function signature(node: ts.Declaration, checker: ts.TypeChecker): string {
  const source = node.getSourceFile()
  const from = node.getStart(source)
  const text = (end: number) =>
    source.text
      .slice(from, end)
      .replace(/^export /, '')
      .trim()
  if (ts.isFunctionDeclaration(node) && node.body) return text(node.body.pos)
  if (ts.isVariableDeclaration(node)) {
    const type = checker.typeToString(
      checker.getTypeAtLocation(node),
      undefined,
      ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.WriteArrowStyleSignature,
    )
    return `const ${node.name.getText()}: ${type.length > 400 ? '...' : type}`
  }
  if (ts.isClassDeclaration(node)) return classOutline(node)
  return text(node.end)
}

/** A class by its public members. */
function classOutline(node: ts.ClassDeclaration): string {
  const members = node.members
    .filter(
      (member) =>
        (ts.isMethodDeclaration(member) || ts.isConstructorDeclaration(member)) &&
        !(member.name && ts.isPrivateIdentifier(member.name)),
    )
    .map((member) => {
      const { body } = member as ts.MethodDeclaration
      return `  ${member
        .getSourceFile()
        .text.slice(member.getStart(), body?.pos ?? member.end)
        .trim()}`
    })
  return `class ${node.name!.text} {\n${members.join('\n')}\n}`
}

/** The node that carries the doc comment. */
const documented = (node: ts.Declaration): ts.Node =>
  ts.isVariableDeclaration(node) ? node.parent.parent : node

function comment(node: ts.Declaration): string {
  const docs = ts.getJSDocCommentsAndTags(documented(node)).filter(ts.isJSDoc)
  const text = docs.map((doc) => ts.getTextOfJSDocComment(doc.comment) ?? '').join('\n')
  const examples = docs
    .flatMap((doc) => [...(doc.tags ?? [])])
    .filter((tag) => tag.tagName.text === 'example')
    .map((tag) => `\`\`\`js show\n${(ts.getTextOfJSDocComment(tag.comment) ?? '').trim()}\n\`\`\``)
  const parameters = docs
    .flatMap((doc) => [...(doc.tags ?? [])])
    .filter(ts.isJSDocParameterTag)
    .map((tag) => `- \`${tag.name.getText()}\`: ${ts.getTextOfJSDocComment(tag.comment) ?? ''}`)
  return [text.trim(), parameters.join('\n'), ...examples].filter(Boolean).join('\n\n')
}

/** The room of src/ that a declaration lives in. */
const roomOf = (node: ts.Declaration): string => {
  const [, room = ''] = relative(root, node.getSourceFile().fileName).split(/[\\/]/)
  return room.replace(/\.ts$/, '')
}

interface Export {
  readonly name: string
  readonly node: ts.Declaration
}

const isType = ({ node }: Export): boolean =>
  ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)

const compare = (a: Export, b: Export): number =>
  Number(isType(a)) - Number(isType(b)) || (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1)

function exportsOf(file: string, program: ts.Program): Export[] {
  const checker = program.getTypeChecker()
  const module = checker.getSymbolAtLocation(program.getSourceFile(join(root, file))!)!
  return checker.getExportsOfModule(module).map((symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    return { name: symbol.name, node: target.declarations![0]! }
  })
}

const section = ({ name, node }: Export, checker: ts.TypeChecker): string =>
  [`#### ${name}`, comment(node), `\`\`\`ts show\n${signature(node, checker)}\n\`\`\``]
    .filter(Boolean)
    .join('\n\n')

function entryText(entry: string, file: string, needs: string, program: ts.Program): string {
  const all = exportsOf(file, program)
  const rooms = [...new Set(all.map(({ node }) => roomOf(node)))].sort()
  const parts = rooms.map((room) => {
    const here = all.filter(({ node }) => roomOf(node) === room).sort(compare)
    return [`### ${entry}: ${room}`, ...here.map((one) => section(one, program.getTypeChecker()))].join(
      '\n\n',
    )
  })
  return [`## ${entry}`, needs, ...parts].join('\n\n')
}

/** The page, and the exported functions and constants that have no doc comment. */
export function api(): { readonly page: string; readonly undocumented: string[] } {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const program = ts.createProgram(
    entries.map(([, file]) => join(root, file)),
    options,
  )
  const values = entries.map(
    ([entry, file]) =>
      [
        entry,
        exportsOf(file, program)
          .filter((one) => !isType(one))
          .sort(compare),
      ] as const,
  )
  const contents = values.map(
    ([entry, list]) =>
      `- **${entry}**: ${list.map(({ name }) => `[${name}](#${name.toLowerCase()})`).join(', ')}`,
  )
  const page = [
    '# API',
    'Written by `npm run docs` from the source. Functions first, then types.',
    contents.join('\n'),
    ...entries.map(([entry, file, needs]) => entryText(entry, file, needs, program)),
  ]
  const undocumented = values.flatMap(([entry, list]) =>
    list.filter(({ node }) => comment(node) === '').map(({ name }) => `${entry}: ${name}`),
  )
  return { page: `${page.join('\n\n')}\n`, undocumented }
}
