/** The public surface, read from the source by the compiler: every export of every entry with its declaration and comment. */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'
import { root } from '../../commands/program.ts'

type Kind = 'function' | 'constant' | 'class' | 'type'

export interface Export {
  /** What users import it from. */
  readonly entry: string
  readonly name: string
  readonly kind: Kind
  /** File and place of its declaration: what makes it one thing. */
  readonly place: string
  readonly comment: string
  readonly parameters: readonly { readonly name: string; readonly comment: string }[]
  readonly examples: readonly string[]
  /** The declaration without its body. */
  readonly signature: string
  /** Names of the types that it returns, for a function. */
  readonly returns: string
}

export interface Entry {
  readonly name: string
  /** What it holds: the comment at the top of its index. */
  readonly comment: string
  readonly exports: readonly Export[]
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, string>
}

/** The source of each entry: `src/index.ts`, `src/gate/laws/entry.ts` and so on. */
export const sources: readonly (readonly [entry: string, file: string])[] = Object.entries(manifest.exports)
  .filter(([, target]) => target.endsWith('.js'))
  .map(([name, target]) => [
    `uwbench${name.slice(1)}`,
    join(root, target.replace('./dist/', 'src/').replace(/\.js$/, '.ts')),
  ])

/** Exports that share a key, in order of appearance. */
export function grouped(list: readonly Export[], key: (one: Export) => string): Map<string, Export[]> {
  const groups = new Map<string, Export[]>()
  for (const one of list) groups.set(key(one), [...(groups.get(key(one)) ?? []), one])
  return groups
}

/** The node that carries the doc comment. */
const documented = (node: ts.Declaration): ts.Node =>
  ts.isVariableDeclaration(node) ? node.parent.parent : node

const docsOf = (node: ts.Declaration): ts.JSDoc[] =>
  ts.getJSDocCommentsAndTags(documented(node)).filter(ts.isJSDoc)

const tagsOf = (node: ts.Declaration): ts.JSDocTag[] => docsOf(node).flatMap((doc) => [...(doc.tags ?? [])])

const textOf = (comment: ts.JSDoc['comment']): string => (ts.getTextOfJSDocComment(comment) ?? '').trim()

function kindOf(node: ts.Declaration, checker: ts.TypeChecker): Kind {
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return 'type'
  if (ts.isClassDeclaration(node)) return 'class'
  return checker.getTypeAtLocation(node).getCallSignatures().length > 0 ? 'function' : 'constant'
}

/** A class by its public members. */
function classOutline(node: ts.ClassDeclaration): string {
  const members = node.members
    .filter((member) => ts.isMethodDeclaration(member) || ts.isConstructorDeclaration(member))
    .filter((member) => !(member.name && ts.isPrivateIdentifier(member.name)))
    .map((member) => {
      const source = member.getSourceFile().text
      return `  ${source.slice(member.getStart(), member.body?.pos ?? member.end).trim()}`
    })
  return `class ${node.name!.text} {\n${members.join('\n')}\n}`
}

/** Longer types of constants are left out: their members have comments of their own. */
const MAX_TYPE = 400

function signatureOf(node: ts.Declaration, checker: ts.TypeChecker): string {
  const source = node.getSourceFile().text
  const text = (end: number): string =>
    source
      .slice(node.getStart(), end)
      .replace(/^export /, '')
      .trim()
  if (ts.isFunctionDeclaration(node) && node.body) return text(node.body.pos)
  if (ts.isClassDeclaration(node)) return classOutline(node)
  if (!ts.isVariableDeclaration(node)) return text(node.end)
  const flags = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.WriteArrowStyleSignature
  const type = checker.typeToString(checker.getTypeAtLocation(node), undefined, flags)
  return `const ${node.name.getText()}: ${type.length > MAX_TYPE ? '...' : type}`
}

function returnsOf(node: ts.Declaration, checker: ts.TypeChecker): string {
  const [signature] = checker.getTypeAtLocation(node).getCallSignatures()
  return signature ? checker.typeToString(checker.getReturnTypeOfSignature(signature)) : ''
}

function exportOf(entry: string, symbol: ts.Symbol, checker: ts.TypeChecker): Export {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const node = target.declarations![0]!
  const tags = tagsOf(node)
  return {
    entry,
    name: symbol.name,
    kind: kindOf(node, checker),
    place: `${relative(root, node.getSourceFile().fileName)}:${node.pos}`,
    comment: docsOf(node)
      .map(({ comment }) => textOf(comment))
      .filter(Boolean)
      .join('\n\n'),
    parameters: tags
      .filter(ts.isJSDocParameterTag)
      .map((tag) => ({ name: tag.name.getText(), comment: textOf(tag.comment) })),
    examples: tags
      .filter(({ tagName }) => tagName.text === 'example')
      .map(({ comment }) => textOf(comment as ts.JSDoc['comment'])),
    signature: signatureOf(node, checker),
    returns: returnsOf(node, checker),
  }
}

/** What the comment at the top of an index says: `The entry NAME: ...`. */
function headOf(file: ts.SourceFile): string {
  const text = (/^\/\*\*([\s\S]*?)\*\//.exec(file.text)?.[1] ?? '').replaceAll(/\s*\n \* ?/g, ' ').trim()
  const said = text.replace(/^The entry `[^`]*`: /, '')
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}`
}

/** Every entry with its exports, by name. */
export function readSurface(): Entry[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const program = ts.createProgram(
    sources.map(([, file]) => file),
    options,
  )
  const checker = program.getTypeChecker()
  return sources.map(([name, file]) => {
    const source = program.getSourceFile(file)!
    const exports = checker
      .getExportsOfModule(checker.getSymbolAtLocation(source)!)
      .map((symbol) => exportOf(name, symbol, checker))
      .sort((a, b) => a.name.localeCompare(b.name, 'en'))
    return { name, comment: headOf(source), exports }
  })
}
